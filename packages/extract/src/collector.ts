import type { ExtractEvent, ExtractedCall } from "./call.ts";

type Held = { readonly text: string } | { readonly call: ExtractedCall; readonly text: string };

/**
 * Collects what the scanner finds as events. As long as the text so far may turn out to have been reasoning that the
 * prompt opened, calls are held back, and so is what follows them: only the end of the text, or reasoning that the
 * text itself opens and closes, shows that they are calls.
 */
export class Collector {
  #events: ExtractEvent[] = [];
  #held: Held[] = [];
  #decided: boolean;

  constructor(decided: boolean) {
    this.#decided = decided;
  }

  /** Whether what was found can no longer turn out to be reasoning. */
  get decided(): boolean {
    return this.#decided;
  }

  text(text: string): void {
    if (text === "") return;
    if (this.#held.length > 0) this.#held.push({ text });
    else this.#emitText(text);
  }

  /** A call, with the text of its envelope; only the first call of an envelope carries text. */
  call(call: ExtractedCall, text: string): void {
    if (this.#decided) this.#events.push({ type: "call", call });
    else this.#held.push({ call, text });
  }

  /** What was found so far stands. */
  keep(): void {
    this.#decided = true;
    for (const held of this.#held.splice(0)) {
      if ("call" in held) this.#events.push({ type: "call", call: held.call });
      else this.#emitText(held.text);
    }
  }

  /** What was found so far was reasoning: it is content, all of it. */
  revoke(): void {
    this.#decided = true;
    for (const held of this.#held.splice(0)) this.#emitText(held.text);
  }

  /** The events since the last time. */
  take(): ExtractEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #emitText(text: string): void {
    if (text === "") return;
    const last = this.#events.at(-1);
    if (last?.type === "text") last.text += text;
    else this.#events.push({ type: "text", text });
  }
}
