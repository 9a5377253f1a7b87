import { ToolrigError } from "../failure/failure.ts";

/**
 * Milliseconds, or text such as "250ms", "10s", "1.5m", "2h", "1d", "1m30s". Text that only a run can tell, such as that of
 * a configuration, becomes one by `parseDuration` of `@toolrig/core/kit`.
 */
export type Duration = number | DurationText;

type Unit = "ms" | "s" | "m" | "h" | "d";
type DurationText =
  | `${number}${Unit}`
  | `${number}${"d" | "h" | "m" | "s"}${number}${Unit}`
  | `${number}h${number}m${number}s`;

/** The largest first: the order in which they may follow each other. */
const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
] as const;

/** Each unit at most once. Whether there is any shows from what it captures. */
const DURATION = new RegExp(
  `^\\s*${UNITS.map(([unit]) => `(?:(\\d+(?:\\.\\d+)?)\\s*${unit}\\s*)?`).join("")}$`,
);

/** The longest delay a timer can hold; longer ones would fire at once. */
export const MAX_TIMER_MS = 2_147_483_647;

export function isDuration(value: unknown): value is Duration {
  return milliseconds(value) >= 0;
}

/** Milliseconds of a duration, which may be any text. Throws `OPTION_INVALID`, naming `field`, for anything that is not one. */
export function parseDuration(value: Duration | string, field: string): number {
  const ms = milliseconds(value);
  if (ms >= 0) return ms;
  const given = typeof value === "string" ? `"${value.slice(0, 60)}"` : String(value);
  throw new ToolrigError(
    "OPTION_INVALID",
    `${field} must be a duration: milliseconds ≥ 0 or text such as "250ms", "10s", "1m", "2h"; got ${given}.`,
  );
}

/** NaN for anything that is not a duration. */
function milliseconds(value: unknown): number {
  if (typeof value === "number") return Number.isFinite(value) ? value : Number.NaN;
  const counts = typeof value === "string" ? DURATION.exec(value)?.slice(1) : undefined;
  if (counts === undefined || counts.every((count) => count === undefined)) return Number.NaN;
  const sum = UNITS.reduce((total, [, ms], index) => total + Number(counts[index] ?? 0) * ms, 0);
  return Number.isFinite(sum) ? sum : Number.NaN;
}

/** A duration for people: "80ms", "1.5s", "2m". */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  if (ms < 60_000) return `${trim(ms / 1_000)}s`;
  if (ms < 3_600_000) return `${trim(ms / 60_000)}m`;
  return `${trim(ms / 3_600_000)}h`;
}

function trim(value: number): string {
  return String(Math.round(value * 10) / 10);
}
