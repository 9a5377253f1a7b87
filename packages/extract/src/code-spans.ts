import { find, has, type Input, lineEnd, type Reading, startsWith, untilAny } from "./input.ts";

/** The end of the line that closes a fence, or -1 if no line from `start` on does. */
export function* fenceEnd(input: Input, start: number, fence: string): Reading<number> {
  for (let from = start; ; ) {
    const feed = yield* find(input, from, "\n");
    if (feed === -1) return -1;
    let at = feed + 1;
    while ((yield* has(input, at)) && /[ \t]/.test(input.text.charAt(at))) at++;
    if (yield* startsWith(input, at, fence)) return yield* lineEnd(input, at);
    from = feed + 1;
  }
}

/** Inline code: from a run of backticks to the next run of the same length on the same line. */
export class InlineCode {
  /** The last run of each length on a line that ends at `end` and was searched in vain, which is done only once. */
  #line: { readonly end: number; readonly last: ReadonlyMap<number, number> } | undefined;

  /** The end of the code that the run from `at` to `end` begins, or `end` if it begins none. */
  *end(input: Input, at: number, end: number): Reading<number> {
    const length = end - at;
    if (this.#line === undefined || this.#line.end < end) {
      const close = yield* closeOnLine(input, end, length);
      if (close !== -1) return close;
      const line = yield* lineEnd(input, end);
      this.#line = { end: line, last: lastRuns(input.text, at, line) };
      return end;
    }
    if ((this.#line.last.get(length) ?? at) <= at) return end;
    for (let from = end; ; ) {
      const start = input.text.indexOf("`", from);
      let stop = start;
      while (input.text.charAt(stop) === "`") stop++;
      if (stop - start === length) return stop;
      from = stop;
    }
  }

  /** Positions have changed. */
  forget(): void {
    this.#line = undefined;
  }
}

/** The end of the next run of `length` on the line, or -1. Waits for no more of the line than it has to. */
function* closeOnLine(input: Input, start: number, length: number): Reading<number> {
  let at = start;
  for (;;) {
    at = yield* untilAny(input, at, "`\n");
    if (!(yield* has(input, at)) || input.text.charAt(at) === "\n") return -1;
    const run = at;
    while ((yield* has(input, at)) && input.text.charAt(at) === "`") at++;
    if (at - run === length) return at;
  }
}

function lastRuns(text: string, start: number, end: number): Map<number, number> {
  const last = new Map<number, number>();
  for (let at = start; at < end; ) {
    if (text.charAt(at) !== "`") {
      at++;
      continue;
    }
    const run = at;
    while (at < end && text.charAt(at) === "`") at++;
    last.set(at - run, run);
  }
  return last;
}
