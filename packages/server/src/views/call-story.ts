import type { CallRecord, Effect, Redactor } from "@toolrig/core";
import type { ArtifactStore, LateRecord, Wait } from "@toolrig/core/kit";
import { checkedEffects, defined } from "@toolrig/core/kit";
import { netChanges, patchOf, type StoredRecord } from "@toolrig/store";
import type { CallLine, CallStory } from "../wire.ts";
import { blameOf, failureSentence } from "./blame.ts";
import { lineOfRecord } from "./call-line.ts";
import { callCommands } from "./commands.ts";
import { effectSentence } from "./effect-sentence.ts";
import { repairsOf } from "./repairs.ts";
import type { TrackedCall } from "./tracked-call.ts";
import { lineOfWait } from "./wait-item.ts";

/** Where a story is put together from. */
export interface StorySources {
  redactor: Redactor;
  artifacts: ArtifactStore;
  /** Of the execution, oldest first, and what came too late. */
  records: readonly StoredRecord[];
  late: readonly LateRecord[];
  /** Of calls that its tool made. */
  children: readonly StoredRecord[];
  tracked: TrackedCall | undefined;
  wait: Wait | undefined;
}

/** Everything known of one call. Undefined when nothing is. */
export async function storyOf(sources: StorySources): Promise<CallStory | undefined> {
  const { records, tracked, wait, redactor } = sources;
  const isUnderWay = tracked !== undefined && tracked.end === undefined;
  const record = records.findLast(({ result }) => result.replayed !== true) ?? records.at(-1);
  if (isUnderWay) return storyOfTracked(tracked, sources);
  if (record !== undefined) return storyOfRecord(record, sources);
  if (tracked !== undefined) return storyOfTracked(tracked, sources);
  if (wait === undefined) return undefined;
  const { args, call } = (wait.body ?? {}) as { args?: unknown; call?: { arguments?: unknown } };
  const line = lineOfWait(wait, redactor);
  return empty(line, redactor.value(call?.arguments ?? args), redactor.value(args), sources);
}

async function storyOfRecord(record: StoredRecord, sources: StorySources): Promise<CallStory> {
  const { redactor, tracked, artifacts } = sources;
  const { result, verdicts, version, principal, waits = [] } = record;
  const line = lineOfRecord(record, redactor);
  const { failure, labels, artifact } = result;
  return {
    ...empty(line, record.rawArguments, record.args, sources),
    ...defined({ version, principal }),
    repairs: repairsOf(result.decoded.repairs),
    verdicts: [...verdicts, ...sources.late.flatMap((each) => each.verdicts ?? [])].map((each) => ({
      ...each,
      sentence: verdictSentence(each),
    })),
    stages: stagesOf(record),
    attempts: attemptsOf(record),
    waits: waits.map(({ kind, how, waitedMs, by }) => ({
      kind,
      how,
      waitedMs,
      ...defined({ by: by?.id }),
    })),
    updates: tracked === undefined ? [] : updatesOf(tracked, redactor),
    effects: await Promise.all(checkedEffects(result.effects).map((effect) => effectOf(effect, artifacts))),
    content: result.content,
    ...(artifact !== undefined && { cut: { bytes: sizeOf(artifact, artifacts), artifact } }),
    ...(failure !== undefined && {
      failure: { ...failure, blame: blameOf(failure.kind), sentence: failureSentence(failure) },
    }),
    ...defined({ labels }),
    record: {
      seq: record.seq,
      hash: record.hash,
      ...(record.recovered === true && { recovered: true }),
    },
  };
}

/** Before it is over, and before it is recorded. */
function storyOfTracked(tracked: TrackedCall, sources: StorySources): CallStory {
  const { redactor } = sources;
  const { start, end, verdicts } = tracked;
  const line = tracked.line(redactor);
  const raw = redactor.value(tracked.rawArguments);
  const durationMs = line.durationMs ?? Math.max(0, Date.now() - start.at);
  const failure = end?.result.failure;
  return {
    ...empty(line, raw, redactor.value(end?.args ?? parsed(tracked.rawArguments)), sources),
    ...(start.principal !== undefined && { principal: redactor.value(start.principal) as never }),
    repairs: repairsOf(end?.result.decoded.repairs ?? []),
    verdicts: verdicts.map((each) => ({ ...each, sentence: redactor.text(verdictSentence(each)) })),
    stages: [{ name: line.state === "waiting" ? "wait" : "run", startMs: 0, durationMs }],
    updates: updatesOf(tracked, redactor),
    content: redactor.value(end?.result.content ?? []) as never,
    ...(failure !== undefined && {
      failure: {
        ...(redactor.value(failure) as typeof failure),
        blame: blameOf(failure.kind),
        sentence: redactor.text(failureSentence(failure)),
      },
    }),
  };
}

/** What a call under way runs on, as far as can be told before it is over: arguments that need no repair. */
function parsed(rawArguments: unknown): unknown {
  if (typeof rawArguments !== "string") return rawArguments;
  try {
    return JSON.parse(rawArguments);
  } catch {
    return undefined;
  }
}

function empty(line: CallLine, rawArguments: unknown, args: unknown, sources: StorySources): CallStory {
  return {
    line,
    source: line.source,
    rawArguments: rawArguments ?? null,
    args: args ?? null,
    repairs: [],
    verdicts: [],
    stages: [],
    attempts: [],
    waits: [],
    updates: [],
    effects: [],
    content: [],
    children: sources.children.map((each) => lineOfRecord(each, sources.redactor)),
    late: sources.late.map(({ at, isError, message, value }) => ({
      at,
      isError,
      ...defined({ message, value }),
    })),
    commands: callCommands(line, args ?? rawArguments),
  };
}

/** Where the time went, in order. Pauses before retries stand for themselves, after what ran. */
function stagesOf({ timing, durationMs, retries = [], waits = [], result }: CallRecord): CallStory["stages"] {
  const { prepareMs, waitMs, runMs, settleMs } = timing;
  const pausedMs = Math.min(
    runMs,
    retries.reduce((sum, { delayMs }) => sum + delayMs, 0),
  );
  const parts: [name: CallStory["stages"][number]["name"], ms: number, note?: string][] = [
    ["prepare", prepareMs],
    ["wait", waitMs, waits.map(({ kind, how }) => `${kind}: ${how}`).join(", ")],
    ["run", runMs - pausedMs, result.attempts > 1 ? `${result.attempts} attempts` : ""],
    ["retry", pausedMs, retries.length > 0 ? `${retries.length} pauses before another attempt` : ""],
    ["settle", Math.max(settleMs, durationMs - prepareMs - waitMs - runMs)],
  ];
  let startMs = 0;
  return parts.flatMap(([name, ms, note = ""]) => {
    const stage = { name, startMs, durationMs: Math.max(0, ms), ...(note !== "" && { note }) };
    startMs += stage.durationMs;
    return ms > 0 ? [stage] : [];
  });
}

function attemptsOf({ retries = [], errors = [], result }: CallRecord): CallStory["attempts"] {
  return Array.from({ length: result.attempts }, (_, index) => {
    const attempt = index + 1;
    const retried = retries.find((each) => each.attempt === attempt);
    const thrown = errors.find((each) => each.attempt === attempt)?.error;
    const failure = retried?.failure ?? (attempt === result.attempts ? result.failure : undefined);
    return {
      attempt,
      ...defined({ failure, delayMs: retried?.delayMs }),
      ...(thrown !== undefined && {
        error: {
          message: `${thrown.name}: ${thrown.message}`,
          ...defined({ stack: thrown.stack }),
        },
      }),
    };
  });
}

function updatesOf(tracked: TrackedCall, redactor: Redactor): CallStory["updates"] {
  return tracked.updates.map(({ at, update }) => ({ at, update: redactor.value(update) as typeof update }));
}

async function effectOf(effect: Effect, artifacts: ArtifactStore): Promise<CallStory["effects"][number]> {
  const sentence = effectSentence(effect);
  if (effect.type !== "file") return { effect, sentence };
  try {
    return { effect, sentence, diff: await patchOf(netChanges([effect]), artifacts) };
  } catch {
    return { effect, sentence };
  }
}

function sizeOf(artifact: string, artifacts: ArtifactStore): number {
  const { size } = artifacts as { size?: (id: string) => number | undefined };
  return size?.call(artifacts, artifact) ?? 0;
}

const VERDICTS: Readonly<Record<string, string>> = {
  allow: "let it pass",
  deny: "denied it",
  ask: "wanted it approved",
  rewrite: "changed it",
  advise: "gave advice",
  stop: "ended the run",
  label: "labelled what came back",
};

function verdictSentence({
  guard,
  verdict,
  reason,
}: {
  guard: string;
  verdict: string;
  reason?: string;
}): string {
  const said = `${guard} ${VERDICTS[verdict] ?? verdict}`;
  return reason === undefined ? `${said}.` : `${said}: ${reason}`;
}
