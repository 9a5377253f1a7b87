import type { ExecutorOptions } from "@toolrig/core";
import { declareOptions, executorOptions, type OptionTable, omitOptions, option } from "@toolrig/core/kit";
import { type FleetOptions, fleetOptions } from "../fleet/setup.ts";
import { type NatsOptions, natsOption } from "../wire/connection.ts";
import { type CallerRights, callerRights } from "./caller-rights.ts";
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

export const natsWorkerOptions = declareOptions("NatsWorker", {
  ...omitOptions(executorOptions, "allow", "timeout", "waits"),
  nats: natsOption(),
  globalTools: option.flag({ default: true }),
  config: option.object("the configuration of a worker"),
  fleet: option.group(fleetOptions),
  approvalKeys: option.strings("a list of public keys in PEM"),
  callers: option.recordOf("what the calls of accounts count as, by account", option.group(callerRights)),
  probe: option.callback(),
} satisfies OptionTable<NatsWorkerOptions>);
