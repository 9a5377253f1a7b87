/** What both halves of the escape proof are made of. */
import type { ProofMode } from "../proof.ts";

/** One attempt to get out, and what must come of it. */
export interface Attempt {
  title: string;
  /** In a few words, for the table. */
  expected: string;
  run(): Promise<Seen>;
}

export interface Seen {
  /** In a few words, for the table. */
  seen: string;
  /** Whether nothing came out, and the answer is what was expected. */
  ok: boolean;
}

/** A half of the proof with its scene. `close` says what is left behind, in words, when something is. */
export interface Half {
  attempts: readonly Attempt[];
  /** What could not be attempted here, and why. */
  skipped?: string;
  close(): Promise<string | undefined>;
}

export type MakeHalf = (mode: ProofMode) => Promise<Half>;
