import type { Duration } from "@toolrig/core";
import { check, settingsOf } from "@toolrig/core/kit";

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

const DEFAULTS: Limits = {
  memory: 64 * MIB,
  time: 10_000,
  steps: 1_000_000_000,
  wall: 600_000,
  calls: 1_000,
  parallel: 16,
  code: 500_000,
  args: 128_000,
  answer: 2_000_000,
  result: 256_000,
  logLines: 1_000,
  logText: 64_000,
  snapshot: 16 * MIB,
};

/** What the host reads in one go must not hold up its event loop. */
const MAX_TEXT = 500_000;

const LEAST: Partial<Limits> = { memory: 4 * MIB, calls: 0, logLines: 0, logText: 0 };
const MOST: Partial<Limits> = {
  memory: 1024 * MIB,
  parallel: 256,
  code: 5_000_000,
  args: MAX_TEXT,
  answer: 20_000_000,
  result: MAX_TEXT,
  logLines: 10_000,
  logText: MAX_TEXT,
  snapshot: 256 * MIB,
};

const NAMES = settingsOf<SandboxLimits>({
  memory: true,
  time: true,
  steps: true,
  wall: true,
  calls: true,
  parallel: true,
  code: true,
  args: true,
  answer: true,
  result: true,
  logLines: true,
  logText: true,
  snapshot: true,
}) as readonly (keyof Limits)[];

/** The limits of a sandbox, or of one of its runs: those can only be narrower. Throws `OPTION_INVALID`. */
export function limitsFrom(given: SandboxLimits | undefined, within?: Limits): Limits {
  check.known("limits", given, NAMES);
  const limits: Record<string, number> = { ...(within ?? DEFAULTS) };
  for (const name of NAMES) {
    const value = given?.[name];
    if (value !== undefined) limits[name] = checked(name, value, within);
  }
  return limits as Limits;
}

function checked(name: keyof Limits, value: number | Duration, within: Limits | undefined): number {
  const field = `limits.${name}`;
  const isDuration = name === "time" || name === "wall";
  const limit = isDuration
    ? check.timeout(field, value)
    : check.count(field, value as number, LEAST[name] ?? 1);
  const most = within?.[name] ?? MOST[name];
  if (most !== undefined && limit > most)
    throw check.invalid(field, `at most ${most}${within ? ", the sandbox's own limit" : ""}`, limit);
  return limit;
}
