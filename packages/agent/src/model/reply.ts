import type { EngineEvent, FinishReason, Metadata, Usage } from "./engine.ts";
import { ModelFault } from "./faults.ts";
import { type AssistantMessage, type AssistantPart, newCallId } from "./message.ts";

type TextualPart = Extract<AssistantPart, { type: "text" | "reasoning" }>;

/** What a model says in one response, put together event by event. */
export class Reply {
  readonly #parts: AssistantPart[] = [];
  /** Text and reasoning parts by the id the engine gave them. */
  #byId: Map<string, TextualPart> | undefined;
  #last: TextualPart | undefined;
  #finish: FinishReason | undefined;
  #usage: Usage | undefined;

  add(event: EngineEvent): void {
    switch (event.type) {
      case "text":
      case "reasoning":
        this.#append(event.type, event.text, event.part, event.metadata);
        return;
      case "tool-call": {
        const { id, name, arguments: text, metadata } = event;
        this.#last = undefined;
        this.#parts.push({
          type: "tool-call",
          id: id === "" ? newCallId() : id,
          name,
          arguments: text,
          ...(metadata !== undefined && { metadata }),
        });
        return;
      }
      case "opaque":
        this.#last = undefined;
        this.#parts.push({ type: "opaque", value: event.value });
        return;
      case "usage":
        this.#usage = event.usage;
        return;
      case "finish":
        this.#finish = event.reason;
    }
  }

  #append(
    type: "text" | "reasoning",
    text: string,
    id: string | undefined,
    metadata: Metadata | undefined,
  ): void {
    const key = id === undefined ? undefined : `${type}:${id}`;
    const known = key === undefined ? this.#last : this.#byId?.get(key);
    const part = known?.type === type ? known : this.#begin(type, key);
    part.text += text;
    if (metadata !== undefined) part.metadata = metadata;
    this.#last = key === undefined ? part : undefined;
  }

  #begin(type: "text" | "reasoning", key: string | undefined): TextualPart {
    const part: TextualPart = { type, text: "" };
    this.#parts.push(part);
    if (key === undefined) return part;
    this.#byId ??= new Map();
    this.#byId.set(key, part);
    return part;
  }

  /**
   * The message; empty only when the model was filtered or cut off before it said anything. Throws a `ModelFault` for a
   * response that is none.
   */
  message(): AssistantMessage {
    if (this.#finish === undefined) {
      throw new ModelFault("incomplete", "The model's response ended before it was complete.");
    }
    if (this.#finish === "error")
      throw new ModelFault("overloaded", "The model ended its response with an error.");
    const content = this.#parts.filter(saysSomething);
    const held = content.some((part) => part.type !== "reasoning");
    if (!held && this.#finish !== "content-filter" && this.#finish !== "length") {
      throw new ModelFault("empty", "The model's response was empty.");
    }
    return this.#made(content, this.#finish);
  }

  /**
   * What can be kept of a response that was interrupted: its text. Calls never started, and reasoning without its end
   * is refused by providers. Undefined when there is none.
   */
  partial(): AssistantMessage | undefined {
    const content = this.#parts.filter((part) => part.type === "text" && part.text !== "");
    return content.length === 0 ? undefined : this.#made(content, "aborted");
  }

  #made(content: AssistantPart[], finishReason: AssistantMessage["finishReason"]): AssistantMessage {
    const message: AssistantMessage = { role: "assistant", content, finishReason };
    if (this.#usage !== undefined) message.usage = this.#usage;
    return message;
  }
}

function saysSomething(part: AssistantPart): boolean {
  return (
    (part.type !== "text" && part.type !== "reasoning") || part.text !== "" || part.metadata !== undefined
  );
}
