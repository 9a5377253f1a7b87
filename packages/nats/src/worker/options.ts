import type { ExecutorOptions } from "@toolrig/core";
import { check, settingsOf } from "@toolrig/core/kit";
import { type FleetOptions, fleetNames } from "../fleet/setup.ts";
import type { NatsOptions } from "../wire/connection.ts";
import { type CallerRights, checkRights } from "./caller-rights.ts";
import type { WorkerConfig } from "./config.ts";
import type { Probe } from "./deliver/parts.ts";

export interface NatsWorkerOptions extends Omit<ExecutorOptions, "tools" | "allow" | "timeout" | "waits"> {
  nats: NatsOptions;
  tools?: ExecutorOptions["tools"];
  /** Whether tools registered for the whole process are offered beside `tools`, which come first. Default true. */
  globalTools?: boolean;
  config?: WorkerConfig;
  fleet?: FleetOptions;
  /** Ed25519 public keys in PEM. A call that needs approval runs if one of their holders signed for it. */
  approvalKeys?: readonly string[];
  /**
   * What calls that come from accounts of their own count as, by account. Such calls are taken only where this is given;
   * those of an account that is not named here count as its own.
   */
  callers?: Readonly<Record<string, CallerRights>>;
  /** For tests: told where each call is. */
  probe?: Probe;
}

const SETTINGS = settingsOf<NatsWorkerOptions>({
  globalTools: true,
  nats: true,
  tools: true,
  config: true,
  fleet: true,
  approvalKeys: true,
  callers: true,
  probe: true,
  answerWithin: true,
  mode: true,
  capabilities: true,
  concurrency: true,
  hooks: true,
  guards: true,
  approve: true,
  events: true,
  store: true,
  ledger: true,
  mayAnswer: true,
  onUnrecorded: true,
  artifacts: true,
  maxContent: true,
  onGuess: true,
  onUnavailable: true,
  redact: true,
  tracer: true,
  clock: true,
});

/** What neither the executor nor the configuration checks. Throws `OPTION_INVALID`, naming the option. */
export function checkOptions(options: NatsWorkerOptions): void {
  check.object("The options of a NATS worker", options);
  check.known("A NATS worker", options, SETTINGS);
  const { nats, fleet = {}, approvalKeys, callers } = options;
  check.object("nats", nats, "options of a connection, such as { servers }");
  fleetNames(fleet);
  if (callers !== undefined) checkRights(callers);
  if (approvalKeys !== undefined) check.strings("approvalKeys", approvalKeys, "a list of public keys in PEM");
}
