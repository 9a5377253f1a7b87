import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { defined } from "@toolrig/core/kit";
import type { StripAnswer } from "./strip-thread.ts";

/** What is wrong with a text that somebody wrote. */
export interface SourceProblem {
  message: string;
  /** In the text as it was written, from 1. */
  line?: number;
  /** What to write instead. */
  hint?: string;
}

export type Stripped = { ok: true; code: string } | { ok: false; problem: SourceProblem };

/** The text as the body of a function, and as that of a method: what fits both opens and closes what is its own. */
const FRAMES = [
  ["async function body() {\n", "\n}"],
  ["class Body { async body() {\n", "\n} }"],
] as const;
const TIMEOUT_MS = 10_000;
const START_MS = 60_000;
const THREAD = new URL(`./strip-thread${import.meta.url.slice(-3)}`, import.meta.url);

/**
 * Takes the types out of the body of an async function. Lines and columns stay where they were. Never rejects: text that is
 * not TypeScript, that needs more than leaving its types out, or that takes the parser longer than 10 seconds is a problem.
 */
export async function stripBody(text: string): Promise<Stripped> {
  let code = "";
  for (const [open, close] of FRAMES) {
    const answer = await ask(`${open}${text}${close}`);
    if (answer.kind !== "stripped") return { ok: false, problem: problemOf(answer, text) };
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

let thread: Worker | undefined;
let last: Promise<unknown> = Promise.resolve();

/** One text after the other: a thread that hangs is ended without harm to anybody else's. */
function ask(text: string): Promise<StripAnswer> {
  const answer = last.then(() => answerOf(text));
  last = answer;
  return answer;
}

async function answerOf(text: string): Promise<StripAnswer> {
  const isNew = thread === undefined;
  thread ??= startThread();
  const worker = thread;
  worker.ref();
  // How long it takes to start says nothing about the text.
  const start = isNew ? await saidBy(worker, START_MS) : undefined;
  if (start?.kind !== "broken") worker.postMessage(text);
  const answer = start?.kind === "broken" ? start : await saidBy(worker, TIMEOUT_MS);
  worker.unref();
  if (answer.kind === "broken") {
    thread = undefined;
    void worker.terminate();
  }
  return answer;
}

async function saidBy(worker: Worker, withinMs: number): Promise<StripAnswer> {
  const over = new AbortController();
  const { signal } = over;
  const answer = await Promise.race([
    once(worker, "message", { signal }).then(([said]) => said as StripAnswer),
    once(worker, "exit", { signal }).then(() => broken("It could not be read.")),
    sleep(withinMs, broken("It takes too long to read."), { signal }),
  ]).catch(() => broken("It could not be read."));
  over.abort();
  return answer;
}

const broken = (message: string): StripAnswer => ({ kind: "broken", message, line: undefined });

function startThread(): Worker {
  const worker = new Worker(THREAD, {
    env: {},
    execArgv: ["--no-warnings"],
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  });
  // What goes wrong with a thread shows where it is asked.
  worker.on("error", () => {});
  worker.once("exit", () => {
    if (thread === worker) thread = undefined;
  });
  return worker;
}
