/** A claim that Toolrig makes, and the program that shows it on the real thing. */
export interface Proof {
  name: string;
  /** One line: what is shown. Listed by `npm run prove`. */
  claim: string;
  /**
   * Runs the proof and prints its table with every miss. `quick` takes seconds and runs in `npm test` or `npm run test:proofs`;
   * `full` is what the README cites. A proof whose material is not at hand says so in `skipped` instead of passing.
   */
  run(mode: ProofMode, print: (line: string) => void): Promise<Verdict>;
}

export type ProofMode = "quick" | "full";

export interface Verdict {
  passed: number;
  failed: number;
  /** Why part or all of the proof did not run. */
  skipped?: string;
}
