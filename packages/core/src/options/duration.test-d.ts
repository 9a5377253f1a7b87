import type { Duration } from "./duration.ts";

/** Type tests: this file fails to compile when what counts as a duration changes. It is never run. */
export const durations: Duration[] = [250, "250ms", "10s", "1.5m", "2h", "1d", "1m30s", "2h0m0s"];

// @ts-expect-error: no unit
export const bare: Duration = "10";
// @ts-expect-error: no unit that there is
export const spelt: Duration = "10 seconds";
// @ts-expect-error: no number
export const word: Duration = "soon";
