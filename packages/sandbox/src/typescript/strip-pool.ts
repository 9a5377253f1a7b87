import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { programBeside } from "@toolrig/core/kit";
import { FairSlots } from "../engine/fair-slots.ts";
import type { StripRequest } from "./strip.ts";
import type { StripAnswer } from "./strip-thread.ts";

const TIMEOUT_MS = 10_000;
const START_MS = 60_000;
/** Idle threads that are kept: each holds the parser, some 40 MB. */
const MAX_IDLE = 1;

/** Hostile text keeps a thread busy until its limit. With one thread per principal it delays only the principal's own texts. */
const slots = new FairSlots({ size: 1, queue: 100, principals: 4 });
const idle: Worker[] = [];

/** Parses a text in a thread of the pool. Never rejects. The thread of a text that is given up is ended. */
export async function parseTypes(text: string, request: StripRequest): Promise<StripAnswer> {
  const { principal, signal, withinMs = TIMEOUT_MS } = request;
  if (!(await slots.take(principal, signal)))
    return signal?.aborted
      ? broken(CANCELLED)
      : { ...broken("Too many texts of this caller wait to be read."), kind: "busy" };
  try {
    return await parse(text, Math.min(withinMs, TIMEOUT_MS), signal);
  } finally {
    slots.give(principal);
  }
}

async function parse(text: string, withinMs: number, signal: AbortSignal | undefined): Promise<StripAnswer> {
  const kept = idle.pop();
  const worker = kept ?? startThread();
  worker.ref();
  // The limit is about the text, not about how long a thread takes to start.
  const start = kept === undefined ? await saidBy(worker, START_MS, signal) : undefined;
  if (start?.kind !== "broken") worker.postMessage(text);
  const answer = start?.kind === "broken" ? start : await saidBy(worker, withinMs, signal);
  worker.unref();
  if (answer.kind !== "broken" && idle.length < MAX_IDLE) idle.push(worker);
  else void worker.terminate();
  return answer;
}

async function saidBy(
  worker: Worker,
  withinMs: number,
  given: AbortSignal | undefined,
): Promise<StripAnswer> {
  const over = new AbortController();
  const signal = given === undefined ? over.signal : AbortSignal.any([over.signal, given]);
  const answer = await Promise.race<StripAnswer>([
    once(worker, "message", { signal }).then(([said]) => said as StripAnswer),
    once(worker, "exit", { signal }).then(() => broken("It could not be read.")),
    sleep(withinMs, broken("It takes too long to read."), { signal }),
  ]).catch(() => broken(given?.aborted ? CANCELLED : "It could not be read."));
  over.abort();
  return answer;
}

const CANCELLED = "It was cancelled before it was read.";

const broken = (message: string) => ({ kind: "broken" as const, message, line: undefined });

function startThread(): Worker {
  const worker = new Worker(programBeside(import.meta.url, "strip-thread"), {
    env: {},
    execArgv: ["--no-warnings"],
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  });
  // A fault of a thread shows in the answer to the text that it reads.
  worker.on("error", () => {});
  worker.once("exit", () => {
    const at = idle.indexOf(worker);
    if (at >= 0) idle.splice(at, 1);
  });
  return worker;
}
