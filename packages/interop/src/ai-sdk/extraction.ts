import { newId } from "@toolrig/core/kit";
import { type ExtractEvent, type ExtractedCall, extract, extractStream } from "@toolrig/extract";
import type { CallPart, Content, Finish, Generated, StreamPart } from "./language-model.ts";
import type { ToolSetState } from "./state.ts";

/** How calls that a model writes as text are found. */
export interface Extraction {
  family?: string | undefined;
  trust: boolean;
}

/** A response with the calls that the model wrote as text made into calls; as it is when it has calls, or none are found. */
export function extractedFrom(
  state: ToolSetState,
  extraction: Extraction | undefined,
  { content, finishReason }: Generated,
): Pick<Generated, "content" | "finishReason"> {
  const asItIs = { content, finishReason };
  if (extraction === undefined || content.some(({ type }) => type === "tool-call")) return asItIs;
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  const found = extract(text, optionsOf(state, extraction));
  if (found.calls.length === 0) return asItIs;
  const rest: Content[] = content.filter(({ type }) => type !== "text");
  if (found.content.trim() !== "") rest.push({ type: "text", text: found.content.trim() });
  return {
    content: [...rest, ...found.calls.map((call) => callPart(state, extraction, call))],
    finishReason: finishOf(finishReason, found.calls),
  };
}

/**
 * The same on a stream. Text goes on as soon as it is certain to be text; once a call is found, what follows is held back to the
 * end, when it is known that the model has made no call as it should. If it has, all text is text.
 */
export class TextWithCalls {
  readonly #state: ToolSetState;
  readonly #extraction: Extraction | undefined;
  readonly #stream: ReturnType<typeof extractStream> | undefined;
  readonly #calls: ExtractedCall[] = [];
  #textId: string | undefined;
  #text = "";
  #shown = 0;
  #held = "";
  #hasCalls = false;

  constructor(state: ToolSetState, extraction: Extraction | undefined) {
    this.#state = state;
    this.#extraction = extraction;
    if (extraction !== undefined) this.#stream = extractStream(optionsOf(state, extraction));
  }

  /** What takes the place of a part. */
  take(part: StreamPart): StreamPart[] {
    if (this.#stream === undefined) return [part];
    if (part.type === "tool-call") this.#hasCalls = true;
    if (part.type === "text-start") return this.#start(part);
    if (part.type === "text-delta") {
      this.#text += part.delta;
      return this.#said(this.#stream.push(part.delta));
    }
    if (part.type === "text-end") return [];
    return part.type === "finish" ? this.#finish(part) : [part];
  }

  /** Several texts are one, as they are for whoever looks for calls in a whole response. */
  #start(part: Extract<StreamPart, { type: "text-start" }>): StreamPart[] {
    if (this.#textId !== undefined) return [];
    this.#textId = part.id;
    return [part];
  }

  #said(events: readonly ExtractEvent[]): StreamPart[] {
    const parts: StreamPart[] = [];
    for (const event of events) {
      if (event.type === "call") this.#calls.push(event.call);
      if (event.type !== "text") continue;
      if (this.#calls.length > 0) this.#held += event.text;
      else parts.push(...this.#delta(event.text));
    }
    return parts;
  }

  #delta(text: string): StreamPart[] {
    if (text === "" || this.#textId === undefined) return [];
    this.#shown += text.length;
    return [{ type: "text-delta", id: this.#textId, delta: text }];
  }

  #finish(part: Extract<StreamPart, { type: "finish" }>): StreamPart[] {
    const parts = this.#said(this.#stream?.end() ?? []);
    const calls = this.#hasCalls ? [] : this.#calls;
    parts.push(...this.#delta(this.#hasCalls ? this.#text.slice(this.#shown) : this.#held));
    if (this.#textId !== undefined) parts.push({ type: "text-end", id: this.#textId });
    const { trust = false } = this.#extraction ?? {};
    for (const call of calls) parts.push(callPart(this.#state, { trust }, call));
    return [...parts, { ...part, finishReason: finishOf(part.finishReason, calls) }];
  }
}

function optionsOf({ definitions }: ToolSetState, { family }: Extraction) {
  return { tools: [...definitions.values()], family };
}

/** A call as the AI SDK takes one. Whoever runs it is told where it came from. */
function callPart(state: ToolSetState, { trust }: Extraction, call: ExtractedCall): CallPart {
  const { arguments: text, complete } = call;
  return state.wrote(newId("call"), call.name, {
    text,
    complete,
    ...(!trust && { source: "extracted" as const }),
  });
}

/** A call whose end is missing makes the response one that was cut off. */
function finishOf(reason: Finish, calls: readonly ExtractedCall[]): Finish {
  if (calls.length === 0) return reason;
  if (calls.some(({ complete }) => !complete)) return { ...reason, unified: "length" };
  return reason.unified === "stop" || reason.unified === "other"
    ? { ...reason, unified: "tool-calls" }
    : reason;
}
