import { isHeld, keepClear, visible } from "./output.ts";
import { widthOf } from "./streams.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const EVERY_MS = 80;

/** A line on standard error that shows that something is under way. Nothing where that is not a terminal. */
export class Spinner {
  #timer: ReturnType<typeof setInterval> | undefined;
  #frame = 0;
  #text = "";

  show(text: string): void {
    if (!process.stderr.isTTY) return;
    this.#text = text;
    keepClear(() => this.#clear());
    this.#timer ??= setInterval(() => this.#draw(), EVERY_MS);
    this.#timer.unref();
    this.#draw();
  }

  /** Removes the line for good. What others write in the meantime removes it until it is next drawn. */
  hide(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#clear();
    keepClear(() => {});
  }

  #clear(): void {
    if (isHeld()) return;
    process.stderr.write("\r\u001b[K");
  }

  #draw(): void {
    if (isHeld()) return;
    const frame = FRAMES[this.#frame++ % FRAMES.length];
    const line = visible(`${frame} ${this.#text}`).slice(0, widthOf("stderr") - 1);
    process.stderr.write(`\r\u001b[K${line}`);
  }
}
