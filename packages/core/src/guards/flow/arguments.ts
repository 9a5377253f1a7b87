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

/** Words of parameters that say how much, and do not choose one thing among others. */
const COUNTING: ReadonlySet<string> = new Set(
  `age amount budget cost count day duration height hour length level limit max maximum min minimum minute month percent
  price quantity rate second size sum temperature total value volume week weight width year`.split(/\s+/),
);

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
      const isId = isChosen(own);
      const words = new Set([...own, ...wordsOf(tool.name)]);
      const asked = { value, isId, words, effort };
      answer = said.has(asked) || found.has(asked);
      answers.set(key, answer);
    }
    return answer;
  };
}

/** Whether a number under a parameter of these words names something. */
function isChosen(words: readonly string[]): boolean {
  return words.includes("id") || !words.some((word) => COUNTING.has(word));
}
