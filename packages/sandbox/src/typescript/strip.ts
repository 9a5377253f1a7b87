import { defined } from "@toolrig/core/kit";
import { parseTypes } from "./strip-pool.ts";
import type { StripAnswer } from "./strip-thread.ts";

/** What is wrong with a text that somebody wrote. */
export interface SourceProblem {
  message: string;
  /** In the text as it was written, from 1. */
  line?: number;
  /** What to write instead. */
  hint?: string;
}

export type Stripped =
  | { ok: true; code: string }
  /** `isBusy`: the text was not read, because too many of its principal wait. */
  | { ok: false; problem: SourceProblem; isBusy: boolean };

/** The text as the body of a function, and as that of a method: what fits both opens and closes what is its own. */
const FRAMES = [
  ["async function body() {\n", "\n}"],
  ["class Body { async body() {\n", "\n} }"],
] as const;

/** Who a text belongs to, and how long it may take. */
export interface StripRequest {
  /** The id of the principal whose call it is: threads are shared fairly between principals. */
  principal?: string | undefined;
  /** Gives up, and ends the work that has begun. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for each of the two parses. At most 10,000, which is the default. */
  withinMs?: number;
}

/**
 * Takes the types out of the body of an async function. Lines and columns stay where they were. Never rejects: text that is
 * not TypeScript, that needs more than leaving its types out, or that takes the parser longer than its limit is a problem.
 */
export async function stripBody(text: string, request: StripRequest = {}): Promise<Stripped> {
  let code = "";
  for (const [open, close] of FRAMES) {
    const answer = await parseTypes(`${open}${text}${close}`, request);
    if (answer.kind !== "stripped")
      return { ok: false, problem: problemOf(answer, text), isBusy: answer.kind === "busy" };
    code ||= answer.code.slice(open.length, answer.code.length - close.length);
  }
  return { ok: true, code };
}

function problemOf(answer: Exclude<StripAnswer, { kind: "stripped" }>, text: string): SourceProblem {
  const { kind, message, line } = answer;
  const hint = HINTS.find(([pattern]) => pattern.test(message))?.[1];
  const lines = text.split("\n").length;
  const said = kind === "unsupported" ? message.replace(/ in (strip-only|type strip) mode\b/, "") : message;
  return {
    message: /[.?!]$/.test(said) ? said : `${said}.`,
    ...(line !== undefined && { line: Math.min(Math.max(line - 1, 1), lines) }),
    ...defined({ hint }),
  };
}

/** What helps, by what the parser says. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/enum/, 'Use an object: const Color = { red: "red" } as const.'],
  [/namespace|module declaration/i, "Use an object in its place."],
  [/parameter property/, "Declare the field, and assign it in the constructor."],
  [/angle-bracket/, "Write: value as Type."],
  [/import|export/, "There are no modules here: call what is needed as tools.NAME(...)."],
  [
    /^(Return|return|Expression|Expected|Unexpected)/,
    "Check that brackets, quotes and braces are closed, each once.",
  ],
];
