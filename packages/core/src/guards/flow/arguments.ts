import { hasSideEffects } from "../../tool/safety.ts";
import type { AnyTool } from "../../tool/tool.ts";
import type { GuardInput } from "../guard.ts";
import { type Leaf, leavesOf } from "../match/leaves.ts";
import { isMoment } from "./dates.ts";
import type { FoundAnswers } from "./found.ts";
import { EFFORT, type Effort, type KnownText } from "./provenance.ts";
import { wordsOf } from "./words.ts";

interface Known {
  readonly said: KnownText;
  readonly found: FoundAnswers;
}

/** How many arguments a reason names. */
const MAX_NAMED = 5;

/** Sinks whose values are neither the user's words nor from a result that vouches. Undeclared: every argument is a sink. */
export function foreignArguments(
  { tool, args }: GuardInput,
  run: Known,
  sinks: readonly string[] | undefined,
): string[] {
  const foreign = new Set<string>();
  const known = knownIn(run, tool);
  const declared = sinks?.flatMap((sink) => sink.split("."));
  for (const leaf of leavesOf(args, tool.input.jsonSchema, declared)) {
    if (sinks !== undefined && !sinks.some((sink) => isWithin(leaf, sink))) continue;
    // Flags and nothing choose little, and nobody says them; where they are declared to decide, they do.
    if (sinks === undefined && isNothing(leaf)) continue;
    if (!known(leaf)) foreign.add(leaf.path);
    if (foreign.size >= MAX_NAMED) break;
  }
  return [...foreign];
}

/**
 * Once a run has read untrusted text, a trusted tool may be asked to repeat, decode or look up what the text said. Its
 * answer is as trusted as the question: every argument must come from the user. An answer to no argument at all cannot be
 * made to say anything, but the user has not chosen from it either.
 */
export function askedBy(
  tool: AnyTool,
  args: unknown,
  run: Known & { readonly untrusted: readonly string[] },
): "user" | "nobody" | "others" {
  if (run.untrusted.length === 0) return "user";
  const leaves = leavesOf(args, tool.input.jsonSchema).filter((leaf) => !isNothing(leaf));
  if (leaves.length === 0) return "nobody";
  return leaves.every(knownIn(run, tool)) ? "user" : "others";
}

/** Whether an argument lies in a sink. */
function isWithin({ names, unread }: Leaf, sink: string): boolean {
  if (names[0] === sink || unread === true) return true;
  const wanted = sink.split(".");
  return wanted.every((name, index) => names[index] === name);
}

/** Flags and nothing choose little, and nobody says them. */
function isNothing({ value }: Leaf): boolean {
  return typeof value === "boolean" || value === null || value === "";
}

/** Words of parameters that say how much, and do not choose one thing among others. */
const COUNTING: ReadonlySet<string> = new Set(
  `age amount budget cost count day duration height hour length level limit max maximum min minimum minute month percent
  price quantity rate second size sum temperature total value volume week weight width year`.split(/\s+/),
);

/** Tells of the arguments of one call whether each was said by the user or found by a trusted tool. */
function knownIn({ said, found }: Known, tool: AnyTool): (leaf: Leaf) => boolean {
  const effort: Effort = { left: EFFORT };
  const acts = hasSideEffects(tool.safety) ? tool.name : undefined;
  let years: ReadonlySet<string> | undefined;
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
      const isDay = typeof value === "string" && isMoment(value.toLowerCase());
      if (isDay) years ??= found.years;
      answer =
        said.has(years === undefined ? asked : { ...asked, years }) ||
        found.has({ ...asked, said, acts, parameter: own });
      answers.set(key, answer);
    }
    return answer;
  };
}

/** Whether a number under a parameter of these words names something. */
function isChosen(words: readonly string[]): boolean {
  return words.includes("id") || !words.some((word) => COUNTING.has(word));
}
