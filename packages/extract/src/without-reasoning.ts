import { reasoningBlocks, reasoningEnds } from "./regions.ts";

/** A text that begins so is the answer itself; an end tag in it is part of a string. */
const BEGINS_AS_JSON = /^\s*(?:[[{"]|```)/;

const LINE_BEGINS = /(?:^|\n)[ \t]*$/;
const LINE_ENDS = /^[ \t]*(?:\r?\n|$)/;

/**
 * Returns the text behind the reasoning blocks that it begins with. The first end tag also ends reasoning whose opening was in the
 * prompt, unless the text begins as JSON, or the tag stands within a line: an answer may quote what a page said. A block without its end
 * lasts to the end of the text: the result is empty.
 *
 * @example
 * ```ts
 * import { withoutReasoning } from "@toolrig/extract";
 *
 * console.log(withoutReasoning('<think>maybe {"a": 9}?</think>{"a": 1}')); //=> {"a": 1}
 * ```
 */
export function withoutReasoning(text: string): string {
  let rest = text;
  for (;;) {
    const start = rest.trimStart();
    const block = reasoningBlocks.find(([open]) => start.startsWith(open));
    if (block === undefined) break;
    rest = after(start, block[1]) ?? "";
  }
  if (BEGINS_AS_JSON.test(rest)) return rest;
  const ends = reasoningEnds.map((end) => ({ end, at: rest.indexOf(end) })).filter(({ at }) => at !== -1);
  const [first] = ends.sort((one, other) => one.at - other.at);
  if (first === undefined) return rest;
  const behind = rest.slice(first.at + first.end.length);
  return LINE_BEGINS.test(rest.slice(0, first.at)) || LINE_ENDS.test(behind) ? behind : rest;
}

function after(text: string, end: string): string | undefined {
  const at = text.indexOf(end);
  return at === -1 ? undefined : text.slice(at + end.length);
}
