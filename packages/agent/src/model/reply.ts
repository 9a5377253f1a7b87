import { defined } from "@toolrig/core/kit";
import { addUsage, type EngineEvent, type FinishReason, type Metadata, type Usage } from "./engine.ts";
import { ModelFault } from "./faults.ts";
import { type AssistantMessage, type AssistantPart, newCallId, type ToolCallPart } from "./message.ts";

type TextualPart = Extract<AssistantPart, { type: "text" | "reasoning" }>;

/** What a model says in one response, put together event by event. */
export class Reply {
  readonly #parts: AssistantPart[] = [];
  /** Text and reasoning parts by the id the engine gave them. */
  #byId: Map<string, TextualPart> | undefined;
  #last: TextualPart | undefined;
  /** Calls that were seen being written, by id. */
  #writing: Map<string, { name: string; text: string }> | undefined;
  #finish: FinishReason | undefined;
  /** Of what came before this response in the same turn. */
  readonly #before: Usage | undefined;
  #usage: Usage | undefined;

  constructor(before?: Usage) {
    this.#before = before;
  }

  add(event: EngineEvent): void {
    switch (event.type) {
      case "text":
      case "reasoning":
        this.#append(event.type, event.text, event.part, event.metadata);
        return;
      case "tool-call-delta":
        this.#write(event.id, event.name, event.delta);
        return;
      case "tool-call": {
        const { id, name, arguments: text, metadata } = event;
        this.#last = undefined;
        this.#parts.push({
          type: "tool-call",
          id: id === "" ? newCallId() : id,
          name,
          arguments: text,
          ...defined({ metadata }),
        });
        return;
      }
      case "opaque":
        this.#last = undefined;
        this.#parts.push({
          type: "opaque",
          value: event.value,
          ...defined({ provider: event.provider }),
        });
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

  #write(id: string, name: string, delta: string): void {
    this.#writing ??= new Map();
    const call = this.#writing.get(id);
    if (call === undefined) this.#writing.set(id, { name, text: delta });
    else call.text += delta;
  }

  /** The tokens of the response, if the engine has told them by now, and of those before it in the turn. */
  get usage(): Usage | undefined {
    if (this.#before === undefined || this.#usage === undefined) return this.#usage ?? this.#before;
    const total = { ...this.#before };
    addUsage(total, this.#usage);
    return total;
  }

  /**
   * The message; empty only when the model was filtered or cut off before it said anything. A call that the length limit
   * cut off is part of it as far as it came. Throws a `ModelFault` for a response that is none.
   */
  message(): AssistantMessage {
    const finish = this.#finish;
    if (finish === undefined) {
      throw new ModelFault("incomplete", "The model's response ended before it was complete.");
    }
    if (finish === "error") throw new ModelFault("overloaded", "The model ended its response with an error.");
    const unfinished = this.#unfinished();
    if (finish === "length") return this.#made([...keptOfCut(this.#parts), ...unfinished], finish);
    if (finish === "content-filter") return this.#made(keptOfCut(this.#parts), finish);
    if (unfinished.length > 0) {
      throw new ModelFault("incomplete", "The model's response ended inside a call, without saying why.");
    }
    if (!this.#parts.some(isSaid)) throw new ModelFault("empty", "The model's response was empty.");
    return this.#made(this.#parts.filter(isKept), finish);
  }

  /** What can be kept of a response that was interrupted: its text. Calls never started. Undefined when there is none. */
  partial(): AssistantMessage | undefined {
    const content = this.#parts.filter((part) => part.type === "text" && isSaid(part));
    return content.length === 0 ? undefined : this.#made(content, "aborted");
  }

  /** Calls that were begun and never came whole. Engines may name a call differently by then, so numbers count first. */
  #unfinished(): ToolCallPart[] {
    if (this.#writing === undefined) return [];
    const whole = this.#parts.filter((part) => part.type === "tool-call");
    if (whole.length >= this.#writing.size) return [];
    const ids = new Set(whole.map(({ id }) => id));
    return Array.from(this.#writing)
      .filter(([id]) => !ids.has(id))
      .map(([id, { name, text }]) => ({
        type: "tool-call",
        id: id === "" ? newCallId() : id,
        name,
        arguments: text,
      }));
  }

  #made(content: AssistantPart[], finishReason: AssistantMessage["finishReason"]): AssistantMessage {
    const message: AssistantMessage = { role: "assistant", content, finishReason };
    const { usage } = this;
    if (usage !== undefined) message.usage = usage;
    return message;
  }
}

/** Whether a part is something to answer with. Blank text is none, and providers refuse it. */
function isSaid(part: AssistantPart): boolean {
  if (part.type === "reasoning") return false;
  return part.type !== "text" || part.text.trim() !== "";
}

function isKept(part: AssistantPart): boolean {
  return (
    (part.type !== "text" && part.type !== "reasoning") || part.text !== "" || part.metadata !== undefined
  );
}

/** Of a response that was cut off: providers refuse reasoning without its end, or without what it led to. */
function keptOfCut(parts: readonly AssistantPart[]): AssistantPart[] {
  const last = parts.findLastIndex(isSaid);
  return parts.slice(0, last + 1).filter((part) => (part.type === "reasoning" ? isKept(part) : isSaid(part)));
}
