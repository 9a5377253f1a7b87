import { EventStream } from "../call/events.ts";
import type { Principal } from "../call/principal.ts";
import { Redactor } from "../call/redact.ts";
import type { CallTracer } from "../call/trace.ts";
import { type Clock, systemClock } from "../clock.ts";
import type { Approver } from "../guards/approval/approver.ts";
import type { Guard } from "../guards/guard.ts";
import { hooksGuard } from "../guards/hooks.ts";
import { parseDuration } from "../options/duration.ts";
import { type Allowlist, compileAllowlist } from "../source/allowlist.ts";
import { withCapabilities } from "../source/capabilities.ts";
import type { ToolSource } from "../source/source.ts";
import { sourceOf } from "../source/source-of.ts";
import { type ArtifactStore, MemoryArtifactStore } from "../stores/artifacts.ts";
import { type Ledger, MemoryLedger } from "../stores/ledger.ts";
import { MemoryWaitStore, type Wait, type WaitStore } from "../stores/waits.ts";
import type { AnyTool } from "../tool/tool.ts";
import { Counters } from "./counters.ts";
import { Attempts } from "./execute/attempts.ts";
import type { Next } from "./execute/layer.ts";
import { LockTable } from "./execute/lock-table.ts";
import { Memo } from "./execute/memo.ts";
import { Semaphore } from "./execute/semaphore.ts";
import { type HeldOutcomes, heldOutcomesOf } from "./held-outcomes.ts";
import { type ExecutorOptions, executorOptions } from "./options.ts";
import { Early } from "./waiting/early.ts";
import { Keeper } from "./waiting/keeper.ts";
import { PutAside } from "./waiting/resumed.ts";
import { WaitWatch } from "./waiting/watch.ts";

/** What the stages of one executor share. */
export interface Services {
  readonly source: ToolSource;
  readonly allow: Allowlist;
  readonly onGuess: "refuse" | "ask";
  readonly onUnavailable: "report" | "try";
  readonly timeoutMs: number;
  /** The same where the option was given. */
  readonly givenTimeoutMs: number | undefined;
  /** How long everybody but the tool and an approver has to answer. */
  readonly answerMs: number;
  readonly mode: "parallel" | "sequential";
  readonly maxContent: number;
  readonly guards: readonly Guard[];
  /** The same in the order in which they are shown a result. */
  readonly viewers: readonly Guard[];
  readonly approver: Approver | undefined;
  readonly waits: WaitStore;
  readonly watch: WaitWatch;
  readonly keeper: Keeper;
  readonly putAside: PutAside;
  /** Executions whose token is out before they are parked. */
  readonly early: Early;
  /** Who may answer questions and complete calls without a token. */
  readonly mayAnswer: (by: Principal, wait: Wait) => boolean;
  readonly clock: Clock;
  readonly events: EventStream;
  /** Stands around the code of tools. */
  readonly tracer: CallTracer | undefined;
  readonly redactor: Redactor;
  readonly ledger: Ledger;
  /** Outcomes that the ledger has not taken yet. */
  readonly held: HeldOutcomes;
  readonly onUnrecorded: "refuse" | "run";
  readonly artifacts: ArtifactStore;
  readonly memo: Memo;
  readonly locks: LockTable;
  readonly slots: Semaphore | undefined;
  readonly counters: Counters;
  readonly attempts: Attempts;
  /** Aborted when the executor stops: ends all waiting. */
  stopping: AbortController;
  /** Why no call is taken at the moment. */
  closed: string | undefined;
  /** How each tool is carried out: the layers that apply to it, put together once. */
  readonly paths: WeakMap<AnyTool, Next>;
}

/** What an executor with these options works with. Throws `OPTION_INVALID`, naming the option. */
export function servicesOf(given: ExecutorOptions): Services {
  const options = executorOptions.withDefaults(given);
  const { tools, allow, events, redact, guards = [], hooks, concurrency, maxContent } = options;
  const all = sourceOf(tools);
  const source = options.capabilities === undefined ? all : withCapabilities(all, options.capabilities);
  const clock = options.clock ?? systemClock;
  const chain: Guard[] = [...(hooks === undefined ? [] : [hooksGuard(hooks)]), ...guards];
  const waits = options.waits ?? new MemoryWaitStore();
  const ledger = options.ledger ?? new MemoryLedger();
  const timeoutMs = parseDuration(options.timeout, "timeout");
  const answerMs = parseDuration(options.answerWithin, "answerWithin");
  const stream = events instanceof EventStream ? events : new EventStream();
  return {
    source,
    allow: compileAllowlist(allow),
    onGuess: options.onGuess,
    onUnavailable: options.onUnavailable,
    timeoutMs,
    givenTimeoutMs: given.timeout === undefined ? undefined : timeoutMs,
    answerMs,
    mode: options.mode,
    maxContent,
    guards: chain,
    viewers: [...chain.filter((each) => !hearsLast(each)), ...chain.filter(hearsLast)],
    approver: options.approve,
    waits,
    watch: new WaitWatch(waits, clock),
    keeper: new Keeper(waits, clock),
    putAside: new PutAside(),
    early: new Early(),
    mayAnswer: options.mayAnswer ?? (() => true),
    clock,
    events: stream,
    tracer: options.tracer?.calls(stream),
    redactor: redact instanceof Redactor ? redact : new Redactor(redact),
    ledger,
    held: heldOutcomesOf(ledger, clock, answerMs),
    onUnrecorded: options.onUnrecorded,
    artifacts: options.artifacts ?? new MemoryArtifactStore(),
    memo: new Memo(),
    locks: new LockTable(),
    slots: concurrency === undefined ? undefined : new Semaphore(concurrency),
    counters: new Counters(),
    attempts: new Attempts(clock),
    stopping: new AbortController(),
    closed: undefined,
    paths: new WeakMap(),
  };
}

function hearsLast({ hearsLast: last }: Guard): boolean {
  return last === true;
}
