import type { CallAnswer, SandboxLimits, SandboxOutcome } from "@toolrig/sandbox";

/** Code of an enemy, and how its run may end. */
export interface Attack {
  name: string;
  code: string;
  /** Statuses, or the names of limits. Anything else is a miss. */
  ends: readonly (SandboxOutcome["status"] | LimitName)[];
  /** The expected return value, if it returns. */
  value?: unknown;
  limits?: SandboxLimits;
  /** Answers its calls. Without it, each is answered by what it was given. */
  onCall?: (args: unknown) => CallAnswer;
  /** Takes a second or more: only in the full version. */
  slow?: true;
}

type LimitName = Extract<SandboxOutcome, { status: "limit" }>["limit"];

export const MIB = 1024 * 1024;

/** Ends by the clock, soon. */
export const SOON: SandboxLimits = { time: 150 };
/** Enough time to fill a small memory. */
export const SMALL: SandboxLimits = { memory: 6 * MIB, time: "20s" };
