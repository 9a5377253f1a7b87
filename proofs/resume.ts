import { isDeepStrictEqual } from "node:util";
import { type CrashOptions, type CrashSite, crashSite } from "@toolrig/core/testing";
import type { Proof } from "./proof.ts";
import { effectsIn, type LongRunAnswer } from "./resume/long-run.ts";
import { LINES, type NestedAnswer } from "./resume/nested-run.ts";

interface Attempt {
  seed: number;
  kills: string[];
  misses: string[];
}

export const proof: Proof = {
  name: "resume",
  claim:
    "A run of 200 turns, killed at 20 random points and resumed each time, has the transcript of an unbroken run; one whose call is a run, killed anywhere in it, resumes that, too",

  async run(mode, print) {
    const { turns, kills, seeds } =
      mode === "full" ? { turns: 200, kills: 20, seeds: [1, 2, 3] } : { turns: 24, kills: 4, seeds: [1] };
    const options: CrashOptions = {
      module: new URL("./resume/long-run.ts", import.meta.url),
      given: turns,
      execArgv: ["--conditions=@toolrig/source"],
    };
    const unbroken = await onSite(options, async (site) => ({
      start: await site.start(),
      effects: effectsIn(site.folder).length,
    }));
    const model = unbroken.start.answer as LongRunAnswer;
    const points = unbroken.start.stages.length;
    print(
      `unbroken: ${model.status} after ${model.turns} turns, ${model.transcript.length} messages, ${unbroken.effects} effects, ${model.trimmed?.results} results trimmed, ${points} places to be killed at`,
    );
    const verdict = { passed: 0, failed: 0 };
    for (const seed of seeds) {
      const attempt = await onSite(options, (site) => broken(site, model, { seed, kills, points }));
      print(
        `seed ${attempt.seed}: killed ${attempt.kills.length} times (${[...new Set(attempt.kills)].join(", ")}); ${attempt.misses.length === 0 ? "same transcript, no effect twice" : ""}`,
      );
      for (const miss of attempt.misses) print(`miss: ${miss}`);
      if (attempt.misses.length === 0) verdict.passed += 1;
      else verdict.failed += 1;
    }
    const within = await nestedRuns(mode === "full" ? 1 : 9, print);
    return { passed: verdict.passed + within.passed, failed: verdict.failed + within.failed };
  },
};

/** Kills a run at every `step`th place, most of them within the run that its call is, and resumes it. */
async function nestedRuns(
  step: number,
  print: (line: string) => void,
): Promise<{ passed: number; failed: number }> {
  const options: CrashOptions = {
    module: new URL("./resume/nested-run.ts", import.meta.url),
    execArgv: ["--conditions=@toolrig/source"],
  };
  const unbroken = await onSite(options, (site) => site.start());
  const verdict = { passed: 0, failed: 0 };
  for (let place = 1; place <= unbroken.stages.length; place += step) {
    const misses = await onSite(options, async (site) => {
      const { killed, stages } = await site.start(place);
      if (!killed) return [`place ${place} was not reached`];
      const { answer } = await site.start();
      return nestedMisses(answer as NestedAnswer, unbroken.answer as NestedAnswer, site.folder).map(
        (miss) => `killed at place ${place} (${stages.at(-1)}): ${miss}`,
      );
    });
    for (const miss of misses) print(`miss: ${miss}`);
    if (misses.length === 0) verdict.passed += 1;
    else verdict.failed += 1;
  }
  print(
    `a run within a run: killed at ${verdict.passed + verdict.failed} of ${unbroken.stages.length} places, ${verdict.passed} times resumed to the same end with no effect twice`,
  );
  return verdict;
}

function nestedMisses(answer: NestedAnswer, model: NestedAnswer, folder: string): string[] {
  const misses: string[] = [];
  if (!isDeepStrictEqual(answer, model))
    misses.push(`it came to ${JSON.stringify(answer)} instead of ${JSON.stringify(model)}`);
  const lines = effectsIn(folder).map(({ line }) => line);
  if (!isDeepStrictEqual(lines, LINES)) misses.push(`it wrote ${lines.join(", ")}`);
  return misses;
}

async function broken(
  site: CrashSite,
  model: LongRunAnswer,
  { seed, kills, points }: { seed: number; kills: number; points: number },
): Promise<Attempt> {
  const attempt: Attempt = { seed, kills: [], misses: [] };
  const random = randomFrom(seed);
  // Each start gets on average as far as it takes for the kills to be spread over the whole run.
  const reach = Math.floor((points / kills) * 1.6);
  while (attempt.kills.length < kills) {
    const { killed, stages } = await site.start(1 + Math.floor(random() * reach));
    if (!killed) break;
    attempt.kills.push(stages.at(-1)!);
  }
  const answer = (await site.start()).answer as LongRunAnswer;
  if (attempt.kills.length < kills) attempt.misses.push(`only ${attempt.kills.length} kills before it ended`);
  if (answer.status !== "answered") attempt.misses.push(`it ended as ${answer.status}`);
  const differs = model.transcript.findIndex(
    (message, index) => !isDeepStrictEqual(message, answer.transcript[index]),
  );
  if (differs >= 0 || answer.transcript.length !== model.transcript.length) {
    const at = differs < 0 ? model.transcript.length : differs;
    attempt.misses.push(
      `message ${at} is ${JSON.stringify(answer.transcript[at])?.slice(0, 300)} instead of ${JSON.stringify(model.transcript[at])?.slice(0, 300)}`,
    );
  }
  const lines = effectsIn(site.folder).filter(({ line }) => !line.endsWith(", 2"));
  const twice = lines.filter(({ line }, index) => lines.findIndex((other) => other.line === line) !== index);
  for (const { line } of twice) attempt.misses.push(`"${line}" was written twice`);
  // A run that had come to its end asks the model nothing.
  if (answer.shown !== undefined && answer.shown !== model.shown)
    attempt.misses.push("the model was shown something else at the end");
  if (answer.shown !== undefined && !isDeepStrictEqual(answer.trimmed, model.trimmed))
    attempt.misses.push(`it trimmed ${JSON.stringify(answer.trimmed)}`);
  if (answer.unreadable > 0) attempt.misses.push(`${answer.unreadable} references cannot be read`);
  if (!answer.auditOk) attempt.misses.push("the audit does not verify");
  if (answer.unrecorded > 0) attempt.misses.push(`${answer.unrecorded} calls are not in the audit`);
  return attempt;
}

function randomFrom(seed: number): () => number {
  let state = seed * 2654435761;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

async function onSite<T>(options: CrashOptions, work: (site: CrashSite) => Promise<T>): Promise<T> {
  const site = crashSite(options);
  try {
    return await work(site);
  } finally {
    site.remove();
  }
}
