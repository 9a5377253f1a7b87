import type { ToolDefinition } from "@toolrig/core";
import { type ExtractEvent, type ExtractStream, extractStream } from "@toolrig/extract";
import type { Extraction } from "./extracted-calls.ts";

/** How much text is held back at most: more than this is shown, whatever it turns out to be. */
const MAX_HELD = 262_144;

/**
 * The text of a response on its way to those who listen. What may be the beginning of a call is held back until it is
 * known to be text; what follows a call waits for the end of the response, since only then it is known that the call
 * counts. Everything else is passed on as it comes. Nothing that is text is lost.
 */
export class SpokenText {
  readonly #emit: (text: string) => void;
  /** Begins to read when there is text. Undefined when all that comes is text. */
  #start: (() => ExtractStream) | undefined;
  #stream: ExtractStream | undefined;
  /** What came and was not passed on. */
  #held = "";
  /** What of it follows a call and is no call itself; undefined as long as there was none. */
  #after: string | undefined;

  constructor(
    emit: (text: string) => void,
    extraction: Extraction | undefined,
    tools: readonly ToolDefinition[],
  ) {
    this.#emit = emit;
    if (extraction !== undefined && tools.length > 0) {
      this.#start = () => extractStream({ tools, family: extraction.family });
    }
  }

  add(text: string): void {
    if (text === "") return;
    this.#stream ??= this.#start?.();
    if (this.#stream === undefined) {
      this.#emit(text);
      return;
    }
    this.#held += text;
    this.#take((stream) => stream.push(text));
    if (this.#held.length > MAX_HELD) this.release();
  }

  /** No call counts that was written as text: what was held back is text, and so is what still comes. */
  release(): void {
    const held = this.#held;
    this.#start = undefined;
    this.#stream = undefined;
    this.#held = "";
    if (held !== "") this.#emit(held);
  }

  /** The response is over. */
  end(): void {
    this.#take((stream) => stream.end());
    if (this.#stream === undefined) return;
    this.#held = this.#after ?? this.#held;
    this.release();
  }

  #take(read: (stream: ExtractStream) => ExtractEvent[]): void {
    if (this.#stream === undefined) return;
    try {
      for (const event of read(this.#stream)) this.#hear(event);
    } catch {
      this.release();
    }
  }

  #hear(event: ExtractEvent): void {
    if (event.type === "call") this.#after ??= "";
    if (event.type !== "text") return;
    if (this.#after !== undefined) {
      this.#after += event.text;
      return;
    }
    this.#held = this.#held.slice(event.text.length);
    this.#emit(event.text);
  }
}
