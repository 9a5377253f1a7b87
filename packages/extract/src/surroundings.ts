import type { Opening } from "./family.ts";
import type { Input } from "./input.ts";
import { CONTEXT, isAfterSentence, isExplained, isLineStart, isQuoted, isSubject } from "./quoting.ts";

/** What the text before a position says about what begins there. Looks back a bounded way, on the same message only. */
export class Surroundings {
  readonly #input: Input;
  /** Where the message proper begins: after reasoning, if there was any. */
  #message = 0;
  /** The end of the last envelope; text before it says nothing about what follows. */
  #after = 0;

  /** The end of the last envelope that was quoted or explained. */
  #shown = -1;

  constructor(input: Input) {
    this.#input = input;
  }

  get message(): number {
    return this.#message;
  }

  /** The message proper begins at `at`. */
  begin(at: number): void {
    this.#message = at;
    this.#after = at;
  }

  /** An envelope ended at `end`. */
  pass(end: number): void {
    this.#after = end;
  }

  /** An envelope that ended at `end` was quoted or explained. */
  show(end: number): void {
    this.#shown = end;
  }

  /** The first `count` characters of the text were dropped. */
  shift(count: number): void {
    this.#message -= count;
    this.#after -= count;
    this.#shown -= count;
  }

  /** Whether an opening stands where it can begin an envelope. */
  isPlace(where: Opening["at"], at: number): boolean {
    if (where === "line") return this.isLineStart(at);
    if (where === "message") return this.#isMessageStart(at);
    return where !== "prose" || isAfterSentence(this.#input.text, this.#from, at);
  }

  /**
   * Whether an envelope at `at` is quoted or explained: text as a whole, so that nothing in it is a call either. What
   * follows such a one with nothing between them is of the same kind.
   */
  isMentioned(at: number): boolean {
    if (this.#shown >= this.#from && this.#isBlank(this.#shown, at)) return true;
    return this.isQuoted(at) || isExplained(this.#input.text, this.#from, at);
  }

  isQuoted(at: number): boolean {
    return isQuoted(this.#input.text, this.#from, at);
  }

  /** Whether what stands from `at` to `end` is part of a sentence that goes on behind it. */
  isSubject(at: number, end: number): boolean {
    return isSubject(this.#input.text, this.#from, at, end);
  }

  isLineStart(at: number): boolean {
    return isLineStart(this.#input.text, this.#from, at);
  }

  #isMessageStart(at: number): boolean {
    return this.#isBlank(this.#message, at);
  }

  #isBlank(start: number, end: number): boolean {
    return end - start <= CONTEXT && this.#input.text.slice(start, end).trim() === "";
  }

  get #from(): number {
    return Math.max(0, this.#after, this.#message);
  }
}
