import { fenceEnd, InlineCode } from "./code-spans.ts";
import { Collector } from "./collector.ts";
import type { Envelope, ExtractFamily, Opening, ScanContext } from "./family.ts";
import { foreignElement } from "./foreign-element.ts";
import { find, firstOf, has, type Input, lineEnd, type Reading, skipSpace } from "./input.ts";
import type { Mark } from "./mark.ts";
import type { Hit, Openings } from "./openings.ts";
import { CONTEXT, REST } from "./quoting.ts";
import { reasoningEnds } from "./regions.ts";
import { Surroundings } from "./surroundings.ts";
import type { ToolIndex } from "./tool-index.ts";
import { Waste } from "./waste.ts";

export type ReasoningState = "open" | "closed" | "unknown";

/**
 * Goes through a text once and tells calls from content. Marks that may begin something are found with a trie; what
 * they begin decides how the text goes on: reasoning, results, code and quotations are passed over, envelopes are
 * read by their family. All decisions depend on the text alone, so that chunks make no difference.
 */
export class Scanner {
  readonly collector: Collector;
  readonly #input: Input;
  readonly #openings: Openings;
  readonly #scan: ScanContext;
  readonly #reasoning: ReasoningState;
  readonly #around: Surroundings;
  /** Everything before is decided; what lies between this and `#position` is content not yet handed out. */
  #flushed = 0;
  #position = 0;
  /** How much of the text has been forgotten; positions count from there. */
  #dropped = 0;
  /** A call was found by an opening that is no guess; by one that is. */
  #strong = false;
  #guessed = false;
  /** The message carries data. */
  #data = false;
  /** Nothing more can be a call, unless everything so far turns out to be reasoning. */
  #stopped = false;
  readonly #waste = new Waste();
  readonly #neverClosed = new Set<string>();
  readonly #inlineCode = new InlineCode();

  constructor(input: Input, openings: Openings, tools: ToolIndex, reasoning: ReasoningState) {
    this.#input = input;
    this.#openings = openings;
    this.#scan = { input, tools };
    this.#reasoning = reasoning;
    this.#around = new Surroundings(input);
    this.collector = new Collector(reasoning === "closed" || tools.size === 0);
  }

  /** Whether there is text that is neither content nor a call yet. */
  get isHolding(): boolean {
    return this.#flushed < this.#input.text.length;
  }

  /** Scans to the end of the text. */
  *run(): Reading<void> {
    let next: number | "stop" = "stop";
    if (this.#scan.tools.size > 0) {
      next =
        this.#reasoning === "open"
          ? yield* this.#passReasoning(0, reasoningEnds)
          : yield* this.#tryMessageStart();
    }
    while (next !== "stop") {
      this.#position = next;
      next = yield* this.#step();
    }
    for (;;) {
      this.#position = this.#input.text.length;
      this.#flush(this.#position);
      this.#trim();
      if (this.#input.closed) break;
      yield;
    }
    this.collector.keep();
  }

  /** Handles the next mark and says where to go on: nowhere, at the end or when nothing that follows can be a call. */
  *#step(): Reading<number | "stop"> {
    this.#trim();
    const found = this.#openings.search(this.#input, this.#position);
    if ("sure" in found) {
      this.#flush(found.sure);
      if (this.#input.closed && found.sure >= this.#input.text.length) return "stop";
      yield;
      return found.sure;
    }
    for (const hit of found.hits) {
      for (const mark of hit.marks) {
        const next = yield* this.#handle(hit, mark);
        if (next !== undefined) return next;
      }
    }
    return (found.hits[0]?.at ?? this.#position) + 1;
  }

  /** Where to go on after a mark, or undefined if it means nothing here. */
  *#handle(hit: Hit, mark: Mark): Reading<number | "stop" | undefined> {
    switch (mark.kind) {
      case "call":
        return yield* this.#tryCall(mark.family, mark.opening, hit.at, hit.end);
      case "reasoning":
        if (this.#around.isQuoted(hit.at)) return undefined;
        return yield* this.#passReasoning(hit.end, [mark.close]);
      case "reasoning-end":
        if (this.#around.isQuoted(hit.at)) return undefined;
        this.#flush(hit.end);
        if (!this.collector.decided) this.#revoke();
        this.#around.begin(hit.end);
        return yield* this.#tryMessageStart();
      case "opaque":
        return yield* this.#passOpaque(hit.end, mark.close, mark.lasting);
      case "element":
        return yield* this.#passElement(hit.at);
      case "turn-end":
        if (mark.line ? !this.#around.isLineStart(hit.at) : this.#around.isQuoted(hit.at)) return undefined;
        return "stop";
      case "code":
        return yield* this.#passCode(hit.at);
      case "quote":
        if (!this.#around.isLineStart(hit.at)) return undefined;
        return yield* this.#pass(lineEnd(this.#input, hit.end));
    }
  }

  *#tryCall(
    family: ExtractFamily,
    opening: Opening,
    at: number,
    end: number,
  ): Reading<number | "stop" | undefined> {
    if (!this.#isOffered(opening, at)) return undefined;
    this.#input.reached = at;
    const envelope = yield* opening.read(this.#scan, end, at);
    if (envelope === undefined) return this.#wasted(at);
    const tooMuch = this.#wasted(envelope.end);
    const isShown = this.#around.isMentioned(at) || (yield* this.#isSubject(at, envelope.end));
    if (!isShown) this.#accept(envelope, family, opening, at);
    else if (envelope.calls.length > 0) this.#around.show(envelope.end);
    return tooMuch ?? envelope.end;
  }

  #accept(envelope: Envelope, family: ExtractFamily, opening: Opening, at: number): void {
    const { text } = this.#input;
    if (envelope.calls.length > 0) {
      this.#flush(at);
      let written = text.slice(at, envelope.end);
      for (const call of envelope.calls) {
        const { name, arguments: args, complete } = call;
        this.collector.call({ name, arguments: args, family: family.name, complete }, written);
        written = "";
      }
      this.#flushed = envelope.end;
      if (opening.weak === true) this.#guessed = true;
      else this.#strong = true;
    }
    if (envelope.data === true) this.#data = true;
    if (envelope.stops === true) this.#stopped = true;
    this.#around.pass(envelope.end);
  }

  /** Counts what was looked at in vain from `at` on, and stops when it is too much. */
  #wasted(at: number): "stop" | undefined {
    return this.#waste.add(this.#input.reached - at, this.#dropped + at) ? "stop" : undefined;
  }

  /** Whether an opening can count where it stands, by what was found before. */
  #isOffered(opening: Opening, at: number): boolean {
    if (this.#stopped || (opening.weak === true && (this.#strong || this.#data))) return false;
    return this.#around.isPlace(opening.at === "prose" && this.#guessed ? "anywhere" : opening.at, at);
  }

  /** Whether the envelope from `begin` to `end` is part of a sentence that the line goes on with. */
  *#isSubject(begin: number, end: number): Reading<boolean> {
    for (let at = end; at < end + REST && (yield* has(this.#input, at)); at++) {
      if (this.#input.text.charAt(at) === "\n") break;
    }
    return this.#around.isSubject(begin, end);
  }

  /** What was found so far was found in reasoning. */
  #revoke(): void {
    this.collector.revoke();
    this.#strong = false;
    this.#guessed = false;
    this.#data = false;
    this.#stopped = false;
  }

  /** Tries what may stand at the beginning of a message, and returns where to go on. */
  *#tryMessageStart(): Reading<number | "stop"> {
    const at = yield* skipSpace(this.#input, this.#around.message);
    if (!(yield* has(this.#input, at))) return this.#around.message;
    for (const mark of this.#openings.atMessage) {
      if (mark.kind !== "call") continue;
      const next = yield* this.#tryCall(mark.family, mark.opening, at, at);
      if (next !== undefined) return next;
    }
    return this.#around.message;
  }

  /** Passes over reasoning. If it is never closed, a call section that ends reasoning is where the message begins. */
  *#passReasoning(start: number, closes: readonly string[]): Reading<number | "stop"> {
    const input = this.#input;
    let ender = -1;
    let from = start;
    for (;;) {
      const close = firstOf(input.text, from, closes);
      if (close !== undefined) {
        this.#flush(close.end);
        this.#around.begin(close.end);
        this.collector.keep();
        return yield* this.#tryMessageStart();
      }
      if (ender === -1) ender = firstOf(input.text, from, this.#openings.reasoningEnders)?.at ?? -1;
      if (input.closed) break;
      from = Math.max(start, input.text.length - 64);
      if (ender === -1) this.#flush(from);
      yield;
    }
    if (ender === -1) return "stop";
    this.collector.keep();
    this.#around.begin(ender);
    return ender;
  }

  *#passOpaque(start: number, close: string, lasting: boolean): Reading<number | "stop" | undefined> {
    if (this.#neverClosed.has(close)) return undefined;
    this.#input.reached = start;
    const closing = find(this.#input, start, close);
    const end = yield* lasting ? this.#pass(closing) : closing;
    if (end !== -1) return end + close.length;
    if (lasting) return "stop";
    this.#neverClosed.add(close);
    return this.#wasted(start);
  }

  /** Passes over an element that holds somebody else's text. A tool of that name comes first. */
  *#passElement(at: number): Reading<number | "stop" | undefined> {
    const element = yield* foreignElement(this.#input, at);
    if (element === undefined || this.#scan.tools.get(element.name) !== undefined) return undefined;
    return yield* this.#passOpaque(element.end, element.close, false);
  }

  /** Passes over a code fence or inline code, unless a family reads the fence as a call. */
  *#passCode(at: number): Reading<number | "stop" | undefined> {
    const input = this.#input;
    const character = input.text.charAt(at);
    let end = at;
    while ((yield* has(input, end)) && input.text.charAt(end) === character) end++;
    if (end - at >= 3 && this.#around.isLineStart(at)) return yield* this.#passFence(at, end);
    return character === "`" ? yield* this.#inlineCode.end(input, at, end) : end;
  }

  *#passFence(at: number, end: number): Reading<number | "stop"> {
    const input = this.#input;
    const line = yield* lineEnd(input, end);
    const info = input.text.slice(end, line).trim().toLowerCase();
    for (const mark of this.#openings.fence(info)) {
      if (mark.kind !== "call") continue;
      const next = yield* this.#tryCall(mark.family, mark.opening, at, line);
      if (next !== undefined) return next;
    }
    const closed = yield* this.#pass(fenceEnd(input, line, input.text.slice(at, end)));
    return closed === -1 ? "stop" : closed;
  }

  /** Reads on through what is content whatever follows, handing it out as it comes. */
  *#pass(reading: Reading<number>): Reading<number> {
    for (;;) {
      const step = reading.next();
      if (step.done === true) return step.value;
      this.#flush(this.#input.text.length);
      yield;
    }
  }

  /** Hands out content up to `to`. */
  #flush(to: number): void {
    if (to <= this.#flushed) return;
    this.collector.text(this.#input.text.slice(this.#flushed, to));
    this.#flushed = to;
  }

  /** Forgets text that is handed out and too far back to matter. */
  #trim(): void {
    const drop = Math.min(this.#flushed, this.#position) - CONTEXT * 2;
    if (drop < 1024) return;
    this.#input.drop(drop);
    this.#dropped += drop;
    this.#flushed -= drop;
    this.#position -= drop;
    this.#around.shift(drop);
    this.#inlineCode.forget();
  }
}
