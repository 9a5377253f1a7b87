import type { BatchOptions, CallOptions, Duration, Tracer } from "@toolrig/core";
import {
  batchOptions,
  type Checks,
  callOptions,
  check,
  declareOptions,
  formatDuration,
  type OptionTable,
  option,
  pickOptions,
  tracerOption,
} from "@toolrig/core/kit";
import { type FleetNames, type FleetOptions, fleetOptions } from "../fleet/setup.ts";
import { type NatsOptions, natsOption } from "../wire/connection.ts";

import { NOBODY, PRIORITIES, type Priority, unfitName } from "../wire/names.ts";

import type { ApprovalOf, SignedApproval } from "../wire/signed-approval.ts";

export interface NatsExecutorOptions {
  nats: NatsOptions;
  fleet?: FleetOptions;
  /**
   * The caller's name: the first token of its subjects and keys, so that a server's permissions can tell callers apart.
   * Default: one made up for this process.
   */
  caller?: string;
  /**
   * The seed of an NKey, `SU…`, with which calls, answers, completions and cancellations are signed. Needed where workers are
   * told the keys of their callers. Default: nothing is signed.
   */
  signer?: string;
  /** How long a call may wait for a worker to start it. Then it is withdrawn and never runs. Default "60s". */
  queueTimeout?: Duration;
  /** How many calls of a tool may be out at once at most; further ones wait here, and runs take turns. Default 1,000. */
  maxInFlight?: number;
  /** How many calls of a tool may wait here at most; further ones are told to come back later. Default 10,000. */
  maxWaiting?: number;
  /** Of calls that name none. Default "normal". */
  priority?: Priority;
  /**
   * Asked about calls of tools that live workers offer and that need approval: answers with a signed one, or nothing. Has
   * `queueTimeout` to answer, and is not waited for when the call is cancelled or the executor is closed.
   */
  approval?: (request: ApprovalOf) => SignedApproval | undefined | Promise<SignedApproval | undefined>;
  /** Follows the calls, also to the workers, such as `telemetry()` of @toolrig/telemetry. Default: nobody does. */
  tracer?: Tracer;
}

/** What a call can be given on its way to a fleet. */
export interface RemoteCallOptions extends CallOptions {
  priority?: Priority;
  /** Somebody's signed yes to this execution. */
  approval?: SignedApproval;
}

export const remoteCallOptions = declareOptions("a call through a fleet", {
  ...callOptions.table,
  priority: option.oneOf(PRIORITIES, { default: "normal" }),
  approval: option.object("a signed approval, made by signApproval"),
} satisfies OptionTable<RemoteCallOptions>);

export const remoteBatchOptions = declareOptions("a batch through a fleet", {
  ...batchOptions.table,
  ...pickOptions(remoteCallOptions, "priority", "approval"),
} satisfies OptionTable<BatchOptions & Pick<RemoteCallOptions, "priority" | "approval">>);

export const natsExecutorOptions = declareOptions("NatsExecutor", {
  nats: natsOption(),
  fleet: option.group(fleetOptions),
  caller: option.checked("a name of letters, digits, _ and -", checkCaller),
  signer: option.text(),
  queueTimeout: option.duration({ default: "60s" }),
  maxInFlight: option.count(1, { default: 1_000 }),
  maxWaiting: option.count(0, { default: 10_000 }),
  priority: option.oneOf(PRIORITIES, { default: "normal" }),
  approval: option.callback(),
  tracer: tracerOption(),
} satisfies OptionTable<NatsExecutorOptions>);

function checkCaller(field: string, caller: unknown, checks: Checks): void {
  checks.string(field, caller);
  const unfit = unfitName(caller as string);
  if (unfit !== undefined) throw checks.invalid(field, "a shorter name", unfit);
  if (caller === NOBODY)
    throw checks.invalid(field, "another name: this is what stands for callers without one", caller);
}

/** A call that left the queue by its age must have been withdrawn before. Throws `OPTION_INVALID`. */
export function checkPatience(queueTimeoutMs: number, { queueTtlMs }: FleetNames): void {
  if (queueTimeoutMs <= queueTtlMs) return;
  const most = `at most ${formatDuration(queueTtlMs)}, which is how long calls stay in the queue (half of ledgerTtl unless the stream says otherwise)`;
  throw check.invalid("queueTimeout", most, formatDuration(queueTimeoutMs));
}
