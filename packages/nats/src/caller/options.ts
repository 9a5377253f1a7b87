import type { CallOptions, Duration, Tracer } from "@toolrig/core";
import { check, formatDuration, settingsOf } from "@toolrig/core/kit";
import { type FleetNames, type FleetOptions, fleetNames } from "../fleet/setup.ts";
import type { NatsOptions } from "../wire/connection.ts";

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

export const MAX_OUT = 1_000;
export const MAX_WAITING = 10_000;

const SETTINGS = settingsOf<NatsExecutorOptions>({
  nats: true,
  fleet: true,
  caller: true,
  queueTimeout: true,
  maxInFlight: true,
  maxWaiting: true,
  priority: true,
  approval: true,
  tracer: true,
});

/** Throws `OPTION_INVALID`, naming the option. */
export function checkOptions(options: NatsExecutorOptions): { queueTimeoutMs: number } {
  check.object("The options of a NATS executor", options);
  check.known("A NATS executor", options, SETTINGS);
  const { nats, fleet = {}, caller, queueTimeout = "60s", maxInFlight = MAX_OUT } = options;
  check.object("nats", nats, "options of a connection, such as { servers }");
  fleetNames(fleet);
  if (caller !== undefined) {
    check.string("caller", caller);
    const unfit = unfitName(caller);
    if (unfit !== undefined) throw check.invalid("caller", "a shorter name", unfit);
    if (caller === NOBODY)
      throw check.invalid("caller", "another name: this is what stands for callers without one", caller);
  }
  check.count("maxInFlight", maxInFlight);
  if (options.maxWaiting !== undefined) check.count("maxWaiting", options.maxWaiting, 0);
  check.oneOf("priority", options.priority, PRIORITIES);
  if (options.approval !== undefined) check.function("approval", options.approval);
  check.has("tracer", options.tracer, ["calls", "run", "inference"], "a tracer, such as telemetry()");
  return { queueTimeoutMs: check.timeout("queueTimeout", queueTimeout) };
}

/** A call that left the queue by its age must have been withdrawn before. Throws `OPTION_INVALID`. */
export function checkPatience(queueTimeoutMs: number, { queueTtlMs }: FleetNames): void {
  if (queueTimeoutMs <= queueTtlMs) return;
  const most = `at most ${formatDuration(queueTtlMs)}, which is how long calls stay in the queue (half of ledgerTtl unless the stream says otherwise)`;
  throw check.invalid("queueTimeout", most, formatDuration(queueTimeoutMs));
}
