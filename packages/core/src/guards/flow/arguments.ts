import type { AnyTool } from "../../tool/tool.ts";
import type { Leaf } from "../match/leaves.ts";
import { EFFORT, type Effort, type KnownText, wordsOf } from "./provenance.ts";

/** Whether an argument lies in a sink. */
export function isWithin({ names, unread }: Leaf, sink: string): boolean {
  if (names[0] === sink || unread === true) return true;
  const wanted = sink.split(".");
  return wanted.every((name, index) => names[index] === name);
}

/** Flags and nothing choose little, and nobody says them. */
export function isNothing({ value }: Leaf): boolean {
  return typeof value === "boolean" || value === null || value === "";
}

/** Words of parameters that choose one thing among others, and of those that say how much. */
const CHOOSING = ["id", "identifier", "key", "index", "number", "no", "nr", "ref", "reference"];
const COUNTING = ["amount", "sum", "price", "cost", "count", "quantity", "total", "value", "limit", "size"];

/** Tells of the arguments of one call whether each was said by the user or found by a trusted tool. */
export function knownIn(
  { said, found }: { said: KnownText; found: KnownText },
  tool: AnyTool,
): (leaf: Leaf) => boolean {
  const effort: Effort = { left: EFFORT };
  const answers = new Map<string, boolean>();
  return ({ value, names }) => {
    if (value === undefined) return false;
    const key = JSON.stringify([value, names]);
    let answer = answers.get(key);
    if (answer === undefined) {
      const own = wordsOf(names.join(" "));
      const isId = isChosen(value, own);
      const words = new Set([...own, ...wordsOf(tool.name)]);
      const asked = { value, isId, words, effort };
      answer = said.has(asked) || found.has(asked);
      answers.set(key, answer);
    }
    return answer;
  };
}

/** Whether a number is one that names something: under such a parameter, or written as text. */
function isChosen(value: unknown, words: readonly string[]): boolean {
  if (typeof value === "number") return words.some((word) => CHOOSING.includes(word));
  return typeof value === "string" && !words.some((word) => COUNTING.includes(word));
}
