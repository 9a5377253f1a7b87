import { type ToolResult, textOf } from "@toolrig/core";
import type { Prompt } from "./language-model.ts";

/** Of names that models made up, the latest are kept. */
const MAX_KEPT = 1_000;

/**
 * What a rig says of tools that nobody has, with the names that are near. The AI SDK answers such calls itself and asks nobody: its
 * text is replaced in what the model is sent.
 */
export class UnknownTools {
  readonly #said = new Map<string, string>();
  /** The same prompt comes again where a request is tried again, and is known by what it is. */
  readonly #told = new WeakMap<Prompt, Prompt>();

  add(name: string, { content }: ToolResult): void {
    this.#said.delete(name);
    this.#said.set(name, textOf(content));
    const [oldest] = this.#said.keys();
    if (this.#said.size > MAX_KEPT && oldest !== undefined) this.#said.delete(oldest);
  }

  /** The prompt itself where nothing in it is to be said otherwise. */
  tellIn(prompt: Prompt): Prompt {
    const told = this.#told.get(prompt) ?? this.#replaced(prompt);
    this.#told.set(prompt, told);
    return told;
  }

  #replaced(prompt: Prompt): Prompt {
    if (this.#said.size === 0) return prompt;
    let isChanged = false;
    const told = prompt.map((message) => {
      if (message.role !== "tool") return message;
      const content = message.content.map((part) => {
        const said = part.type === "tool-result" && isSdks(part) ? this.#said.get(part.toolName) : undefined;
        if (part.type !== "tool-result" || said === undefined) return part;
        isChanged = true;
        return { ...part, output: { type: "error-text" as const, value: said } };
      });
      return { ...message, content };
    });
    return isChanged ? told : prompt;
  }
}

type ResultPart = Extract<
  Extract<Prompt[number], { role: "tool" }>["content"][number],
  { type: "tool-result" }
>;

/** Whether it is the AI SDK's own text for a tool that it does not have, and no result of a tool that was there before. */
function isSdks({ toolName, output }: ResultPart): boolean {
  return output.type === "error-text" && output.value.includes(`unavailable tool '${toolName}'`);
}
