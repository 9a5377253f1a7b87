import { readFileSync } from "node:fs";
import type { Executor } from "@toolrig/core";
import { SUBJECT } from "../wire/names.ts";
import type { Port } from "./config.ts";
import type { DeliveryCounters } from "./deliver/counters.ts";

/** What a worker says about itself. */

/** For systems that list their components. */
export interface WorkerMeta {
  name: string;
  type: string;
  description: string;
  version: string;
  id: string;
}

/** The health of the worker's executor, and of its place in the fleet. */
export interface WorkerHealth extends Omit<ReturnType<Executor["health"]>, "state"> {
  state: "new" | "ready" | "running" | "draining" | "stopped";
  connected: boolean;
  /** Tools whose calls, of some callers or of all, this worker leaves to others for a while. */
  resting: { tool: string; reason: string }[];
}

/** What went through a worker since it was last initialized. */
export interface DataFlow extends DeliveryCounters {
  callsPerSecond: number;
  errorRate: number;
  inFlight: number;
}

export function metaOf(id: string): WorkerMeta {
  return {
    name: "toolrig-worker",
    type: "processor",
    description: "Runs tool calls from JetStream",
    version: packageVersion(),
    id,
  };
}

export const INPUT_PORTS: readonly Port[] = [
  { name: "tool.execute", subject: `${SUBJECT.execute}.>`, type: "jetstream", description: "Calls" },
];

export const OUTPUT_PORTS: readonly Port[] = [
  {
    name: "tool.result",
    subject: `${SUBJECT.result}.*`,
    type: "nats",
    description: "Results of plain calls",
  },
];

/** The file lies beside both `src` and `dist`. */
function packageVersion(): string {
  const file = new URL("../../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
  return version;
}
