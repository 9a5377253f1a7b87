import { signal } from "@preact/signals";

/** The clock of the page, once a second, for everything that says how long ago something was. */
export const now = signal(Date.now());

export function startClock(): void {
  setInterval(() => {
    if (!document.hidden) now.value = Date.now();
  }, 1_000);
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** "12 ms", "1.4 s", "3 min 20 s", "2 h 5 min". */
export function duration(ms: number): string {
  const value = Math.max(0, ms);
  if (value < 1) return value === 0 ? "0 ms" : "<1 ms";
  if (value < 1_000) return `${Math.round(value)} ms`;
  if (value < 59_950) return `${(value / 1_000).toFixed(1)} s`;
  const at = UNITS.findIndex(([, size]) => value >= size);
  const [unit, size] = UNITS[at] ?? UNITS[2];
  const whole = Math.floor(value / size);
  const [smaller, smallerSize] = UNITS[at + 1] ?? UNITS[3];
  const rest = Math.floor((value - whole * size) / smallerSize);
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${smaller}`;
}

/** "now", "12 s ago", "4 min ago", "in 20 min". */
export function ago(at: number, from = now.value): string {
  const passed = from - at;
  if (Math.abs(passed) < 2_000) return "now";
  const text = roughly(Math.abs(passed));
  return passed > 0 ? `${text} ago` : `in ${text}`;
}

/** In one unit, the nearest: "12 s", "4 min", "3 h", "2 d". Below two of a unit the smaller one still matters. */
export function roughly(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= 2 * each) ?? UNITS[3];
  return `${Math.round(ms / size)} ${unit}`;
}

/** "2026-11-16 03:44:16.120", in the reader's zone. */
export function exactly(at: number): string {
  if (!Number.isFinite(at) || Math.abs(at) > 8.64e15) return "at no time that can be told";
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${clock(at)}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** "03:44:16", in the reader's zone. */
/** "03:44", in the reader's zone. */
export function clockMinute(at: number): string {
  return clock(at).slice(0, 5);
}

function clock(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}
