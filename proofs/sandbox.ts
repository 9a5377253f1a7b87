/** Code that a model wrote reaches nothing but what it was given, and holds nothing up. */
import type { Proof, ProofMode, Verdict } from "./proof.ts";
import { attacks } from "./sandbox/attacks.ts";
import { madeTools } from "./sandbox/made-tools.ts";
import { principals } from "./sandbox/principals.ts";
import { waitingScripts } from "./sandbox/waiting.ts";

type Scene = (mode: ProofMode, print: (line: string) => void) => Promise<Verdict>;

const SCENES: readonly Scene[] = [attacks, principals, madeTools, waitingScripts];

export const proof: Proof = {
  name: "sandbox",
  claim:
    "Code of strangers does not get out of the sandbox, hold the host up or outgrow its memory: over 150 attacks; tools that models made and scripts that wait survive a crash, with nothing done twice",
  async run(mode, print) {
    const verdicts: Verdict[] = [];
    for (const scene of SCENES) verdicts.push(await scene(mode, print));
    const skipped = verdicts.flatMap((verdict) => verdict.skipped ?? []);
    return {
      passed: verdicts.reduce((sum, { passed }) => sum + passed, 0),
      failed: verdicts.reduce((sum, { failed }) => sum + failed, 0),
      ...(skipped.length > 0 && { skipped: skipped.join("; ") }),
    };
  },
};
