import type { Duration } from "@toolrig/core";
import { check, declareOptions, defined, type OptionTable, option, parseDuration } from "@toolrig/core/kit";

/** What a run may take. Sizes of text are in UTF-16 units, as `string.length` has them. */
export interface SandboxLimits {
  /** Bytes of the heap. Default 64 MiB, from 4 MiB to 1 GiB. */
  memory?: number;
  /** How long the code itself may run in all, while calls are waited for not counted. Default "10s". */
  time?: Duration;
  /** Turns of loops and calls of functions, counted in ten thousands: the same on every machine. Default 1,000,000,000. */
  steps?: number;
  /** From the start to the end or to the pause, calls and waiting for a place included. Default "10m". */
  wall?: Duration;
  /** Calls of tools in all. Default 1,000. */
  calls?: number;
  /** Calls that are out at once; more of them wait in the sandbox. Those that wait for the world do not count. Default 16. */
  parallel?: number;
  /** Text of the code. Default 500,000. */
  code?: number;
  /** JSON text of one call's arguments, and of all globals together. Default 128,000, at most 500,000. */
  args?: number;
  /** JSON text of what a call answers. Default 2,000,000. */
  answer?: number;
  /** JSON text of what the code returns. Default 256,000, at most 500,000. */
  result?: number;
  /** Lines of the log, from a start to a pause or end. More are counted and left out. Default 1,000. */
  logLines?: number;
  /** Text of the log, likewise. Default 64,000, at most 500,000. */
  logText?: number;
  /** Bytes of a snapshot, compressed. Default 16 MiB. */
  snapshot?: number;
}

/** Limits with none left open; durations in milliseconds. */
export type Limits = { readonly [Limit in keyof Required<SandboxLimits>]: number };

const MIB = 1024 * 1024;

/** A longer text would block the event loop of the host, which reads it at once. */
const MAX_TEXT = 500_000;

export const limitOptions = declareOptions("limits of a sandbox", {
  memory: option.count(4 * MIB, { most: 1024 * MIB, default: 64 * MIB }),
  time: option.duration({ default: "10s" }),
  steps: option.count(1, { default: 1_000_000_000 }),
  wall: option.duration({ default: "10m" }),
  calls: option.count(0, { default: 1_000 }),
  parallel: option.count(1, { most: 256, default: 16 }),
  code: option.count(1, { most: 5_000_000, default: 500_000 }),
  args: option.count(1, { most: MAX_TEXT, default: 128_000 }),
  answer: option.count(1, { most: 20_000_000, default: 2_000_000 }),
  result: option.count(1, { most: MAX_TEXT, default: 256_000 }),
  logLines: option.count(0, { most: 10_000, default: 1_000 }),
  logText: option.count(0, { most: MAX_TEXT, default: 64_000 }),
  snapshot: option.count(1, { most: 256 * MIB, default: 16 * MIB }),
} satisfies OptionTable<SandboxLimits>);

/** The limits of a sandbox, or of one of its runs: those can only be narrower. Throws `OPTION_INVALID`. */
export function limitsFrom(given: SandboxLimits = {}, within?: Limits): Limits {
  limitOptions.check(given, "limits");
  const all = { ...limitOptions.defaults, ...within, ...defined(given) };
  const limits: Limits = {
    ...all,
    time: parseDuration(all.time, "limits.time"),
    wall: parseDuration(all.wall, "limits.wall"),
  };
  for (const [name, most] of Object.entries(within ?? {}) as [keyof Limits, number][])
    if (limits[name] > most)
      throw check.invalid(`limits.${name}`, `at most ${most}, the sandbox's own limit`, limits[name]);
  return limits;
}
