import { ToolrigError } from "../failure/failure.ts";

/** Milliseconds, or text such as "250ms", "10s", "1.5m", "2h", "1d". */
export type Duration = number | string;

const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The longest delay a timer can hold; longer ones would fire at once. */
export const MAX_TIMER_MS = 2_147_483_647;

export function isDuration(value: unknown): value is Duration {
  return milliseconds(value) >= 0;
}

/** Milliseconds of a duration. Throws `OPTION_INVALID`, naming `field`, for anything that is not one. */
export function parseDuration(value: Duration, field: string): number {
  const ms = milliseconds(value);
  if (ms >= 0) return ms;
  const given = typeof value === "string" ? `"${value}"` : String(value);
  throw new ToolrigError(
    "OPTION_INVALID",
    `${field} must be a duration: milliseconds ≥ 0 or text such as "250ms", "10s", "1m", "2h"; got ${given}.`,
  );
}

/** NaN for anything that is not a duration. */
function milliseconds(value: unknown): number {
  if (typeof value === "number") return Number.isFinite(value) ? value : Number.NaN;
  const match = typeof value === "string" ? /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)\s*$/.exec(value) : null;
  const [, count, unit = ""] = match ?? [];
  return Number(count) * (UNIT_MS[unit] ?? Number.NaN);
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
