import type { ExecutorOptions, GuardInput, ToolSpec } from "@toolrig/core";
import type { ArtifactStore, Ledger } from "@toolrig/core/kit";
import { z } from "zod";
import { type Hostile, hostileTool, never } from "./hostile.ts";

/** Short enough for the proof; an executor waits for a minute unless told otherwise. */
const answerWithin = "100ms";
const UNAVAILABLE = "unavailable TOOL_UNAVAILABLE";
const BLOCKED = "denied TOOL_BLOCKED";
const CANCELLED = "cancelled TOOL_CANCELLED";

const forHostile = (input: GuardInput) => (input.call.name === "hostile" ? never() : undefined);
const quiet: Ledger = {
  intend: () => ({ state: "new" }),
  complete: () => {},
  fail: () => {},
  unknown: () => {},
  withdraw: () => {},
  open: () => [],
};
const artifacts: ArtifactStore = { put: never, write: never, read: never, bytes: never };
let ids = 0;
/** An execution that was begun before, another one each time. */
const known = { callOptions: () => ({ executionId: `exec_known_${++ids}` }) };

type Spec = Partial<ToolSpec<unknown, unknown>>;

interface Silence {
  who: string;
  options?: ExecutorOptions;
  spec?: Spec;
  expect: Hostile["expect"];
  rest?: Partial<Hostile>;
  /** When the call is cancelled while it waits. */
  cancelled?: Hostile["expect"];
}

const writes: Spec = { safety: { sideEffects: "write" } };

/** Everybody who is asked on the path of a call, besides the tool itself and an approver. */
const SILENCES: readonly Silence[] = [
  { who: "a before-hook", options: { hooks: { beforeCall: forHostile } }, expect: UNAVAILABLE },
  { who: "a guard before", options: { guards: [{ name: "g", before: forHostile }] }, expect: UNAVAILABLE },
  { who: "prepare", spec: { prepare: never }, expect: UNAVAILABLE },
  { who: "a validator", spec: { input: z.object({}).refine(never) }, expect: UNAVAILABLE },
  {
    who: "ledger.intend",
    spec: writes,
    options: { ledger: { ...quiet, intend: never } },
    expect: UNAVAILABLE,
  },
  {
    who: "ledger.get",
    spec: writes,
    options: { ledger: { ...quiet, get: never } },
    rest: known,
    expect: UNAVAILABLE,
  },
  {
    who: "ledger.complete",
    spec: writes,
    options: { ledger: { ...quiet, complete: never } },
    expect: "ok",
    cancelled: "ok",
  },
  {
    who: "reconcile",
    spec: { ...writes, reconcile: never },
    options: { ledger: { ...quiet, intend: () => ({ state: "open" }) } },
    rest: known,
    expect: "unknown TOOL_OUTCOME_UNKNOWN",
    cancelled: "unknown TOOL_OUTCOME_UNKNOWN",
  },
  {
    who: "artifacts.put",
    spec: { execute: () => "x".repeat(1_000) },
    options: { artifacts, maxContent: 100 },
    expect: "ok",
    cancelled: "ok",
  },
  { who: "an after-hook", options: { hooks: { afterCall: forHostile } }, expect: BLOCKED },
  { who: "a guard after", options: { guards: [{ name: "g", after: forHostile }] }, expect: BLOCKED },
  {
    who: "an output validator",
    spec: { output: z.object({}).refine(never), execute: () => ({}), timeout: 100 },
    expect: "timeout TOOL_TIMEOUT",
  },
];

function hostile(
  { who, options, spec = {}, rest }: Silence,
  expect: Hostile["expect"],
  name: string,
): Hostile {
  return {
    name: `${who} that never answers${name}`,
    expect,
    ...rest,
    options: { answerWithin, tools: [hostileTool(spec)], ...options },
  };
}

/** Each on its own, and cancelled while nobody would ever answer. */
export const silent: readonly Hostile[] = SILENCES.flatMap((each) => {
  const cancelled = hostile(each, each.cancelled ?? CANCELLED, ", cancelled");
  const { callOptions = () => ({}) } = each.rest ?? {};
  return [
    hostile(each, each.expect, ""),
    {
      ...cancelled,
      options: { ...cancelled.options, answerWithin: "1h" },
      callOptions: () => ({ ...callOptions(), signal: AbortSignal.timeout(20) }),
    },
  ];
});
