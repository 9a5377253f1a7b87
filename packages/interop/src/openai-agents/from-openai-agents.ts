import { type AnyTool, type ContentPart, failure, result, type ToolContext } from "@toolrig/core";
import { check, defineTool } from "@toolrig/core/kit";
import type { AgentsTool } from "./shape.ts";

type Spec = Parameters<typeof defineTool>[0];

/** What the SDK's tools answer in the place of a value when they threw and have no `errorFunction` of their own. */
const FAILED = "An error occurred while running the tool. Please try again.";

/**
 * A function tool of the OpenAI Agents SDK as a tool of a rig. `context` is what its `execute` finds as `runContext.context`. What
 * it does not say about safety counts as undeclared; `more` adds to the definition or replaces parts of it.
 */
export function fromOpenAIAgents(
  source: AgentsTool,
  { context = {}, ...more }: Partial<Spec> & { context?: unknown } = {},
): AnyTool {
  check.object("source", source, "a function tool of the OpenAI Agents SDK");
  check.function("source.invoke", source.invoke, "a function: tools that OpenAI runs cannot run here");
  const { name, description, parameters } = source;
  const enabled = new Enabled(source, context);
  return defineTool(
    {
      name,
      description,
      input: parameters,
      type: "openai-agents",
      available: () => enabled.available(),
      approval: async (args) => Boolean(await source.needsApproval(runContextOf(context), args)),
      async execute(args, call) {
        if (!(await enabled.look())) return failure({ kind: "unavailable", message: enabled.reason });
        const input = JSON.stringify(args);
        return outcomeOf(await source.invoke(runContextOf(context), input, detailsOf(name, input, call)));
      },
      ...more,
    },
    { trusted: true },
  );
}

/** Whether a tool is enabled, which the SDK asks each time and waits for: lists have what was said the last time. */
class Enabled {
  readonly reason: string;
  readonly #ask: () => Promise<boolean>;
  #isOn = true;

  constructor({ name, isEnabled }: AgentsTool, context: unknown) {
    this.reason = `${name} is not enabled.`;
    this.#ask = async () => (await isEnabled?.(runContextOf(context), { name: "toolrig" })) !== false;
    void this.look();
  }

  available(): true | string {
    void this.look();
    return this.#isOn || this.reason;
  }

  /** What cannot be said is a no. */
  async look(): Promise<boolean> {
    this.#isOn = await this.#ask().catch(() => false);
    return this.#isOn;
  }
}

function runContextOf(context: unknown) {
  return { context, usage: {}, isToolApproved: () => true };
}

function detailsOf(name: string, input: string, { callId, signal }: ToolContext) {
  const toolCall = { type: "function_call", callId, name, arguments: input, status: "completed" };
  return { toolCall, signal };
}

function outcomeOf(output: unknown): unknown {
  if (output === FAILED) return failure(output);
  const parts = Array.isArray(output) ? output : [output];
  const content = parts.map(partOf);
  return content.length > 0 && content.every((part) => part !== undefined)
    ? result({ value: output, content })
    : output;
}

/** A part of the SDK's structured outputs, of which only some hold their data themselves. */
function partOf(part: unknown): ContentPart | undefined {
  if (typeof part !== "object" || part === null) return undefined;
  const { type, text, image } = part as Record<string, unknown>;
  if (type === "text" && typeof text === "string") return { type: "text", text };
  if (type !== "image") return undefined;
  const { data, mediaType, url } =
    typeof image === "string" ? { url: image } : ((image ?? part) as Record<string, unknown>);
  if (typeof data === "string" && typeof mediaType === "string")
    return { type: "image", data, mimeType: mediaType };
  const inline = typeof url === "string" ? /^data:([^;,]+);base64,(.*)$/s.exec(url) : null;
  if (inline?.[1] !== undefined && inline[2] !== undefined)
    return { type: "image", data: inline[2], mimeType: inline[1] };
  return typeof url === "string" ? { type: "resource", uri: url } : undefined;
}
