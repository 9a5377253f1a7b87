/** One server-sent event. `id` is that of the last event that had one. */
export interface StreamEvent {
  event: string;
  data: string;
  id: string;
}

/**
 * Reads server-sent events from pieces of text, however they are cut. `onAlive` is called for every piece, comments too.
 * An event that was cut off at the end of the stream is dropped, as the standard has it.
 */
export class EventStreamReader {
  #rest = "";
  #event = "";
  #data: string[] = [];
  #id = "";
  readonly #onEvent: (event: StreamEvent) => void;

  constructor(onEvent: (event: StreamEvent) => void) {
    this.#onEvent = onEvent;
  }

  push(piece: string): void {
    const text = this.#rest + piece;
    let from = 0;
    for (;;) {
      const end = text.indexOf("\n", from);
      if (end === -1) break;
      this.#line(text.slice(from, text[end - 1] === "\r" && end > from ? end - 1 : end));
      from = end + 1;
    }
    this.#rest = text.slice(from);
  }

  #line(line: string): void {
    if (line === "") {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#event = value;
    else if (field === "id") this.#id = value;
  }

  #dispatch(): void {
    const event = { event: this.#event || "message", data: this.#data.join("\n"), id: this.#id };
    const hasData = this.#data.length > 0;
    this.#event = "";
    this.#data = [];
    if (hasData) this.#onEvent(event);
  }
}
