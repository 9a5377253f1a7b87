/**
 * Milliseconds after which a test is taken to hang. A guard, not a measure: a test waits for conditions, and no condition takes a
 * tenth of this on a machine with twenty times as much to do as it can.
 */
export const HANG_MS = 600_000;
