import { reasoningBlocks, reasoningEnds } from "./regions.ts";

/** A text that begins so is the answer itself; an end tag in it is part of a string. */
const BEGINS_AS_JSON = /^\s*(?:[[{"]|```)/;

/**
 * Returns the text behind the reasoning blocks that it begins with. The first end tag also ends reasoning whose opening was in the
 * prompt, unless the text begins as JSON. A block without its end lasts to the end of the text: the result is empty.
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
  const ends = reasoningEnds.map((end) => rest.indexOf(end)).filter((at) => at !== -1);
  const first = Math.min(...ends);
  const end = reasoningEnds.find((tag) => rest.startsWith(tag, first));
  return end === undefined ? rest : rest.slice(first + end.length);
}

function after(text: string, end: string): string | undefined {
  const at = text.indexOf(end);
  return at === -1 ? undefined : text.slice(at + end.length);
}
