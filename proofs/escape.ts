/** Attempts to get out of the toolkit's confinement, each on the real thing: nothing comes out, nothing hangs. */
import type { Attempt, MakeHalf, Seen } from "./escape/attempt.ts";
import { files } from "./escape/files.ts";
import { processes } from "./escape/processes.ts";
import type { Proof } from "./proof.ts";

const HALVES: readonly MakeHalf[] = [files, processes];
/** An attempt that takes longer hangs. */
const LIMIT_MS = 600_000;

function limited(attempt: Attempt): Promise<Seen> {
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<Seen>((resolve) => {
    timer = setTimeout(() => resolve({ seen: "it hangs", ok: false }), LIMIT_MS);
  });
  const ended = attempt.run().catch((error: unknown) => ({ seen: `threw ${error}`, ok: false }));
  return Promise.race([ended, hung]).finally(() => clearTimeout(timer));
}

export const proof: Proof = {
  name: "escape",
  claim:
    "Tools stay in their roots and processes in their bounds: attempts with their answers, 0 escapes, 0 hangs",
  async run(mode, print) {
    let [passed, failed] = [0, 0];
    const skipped: string[] = [];
    for (const make of HALVES) {
      const { attempts, close, skipped: reason } = await make(mode);
      if (reason !== undefined) skipped.push(reason);
      for (const attempt of attempts) {
        const { seen, ok } = await limited(attempt);
        if (ok) passed += 1;
        else failed += 1;
        print(`${ok ? "ok  " : "MISS"} ${attempt.title.padEnd(66)} ${attempt.expected.padEnd(26)} ${seen}`);
      }
      const left = await close();
      if (left === undefined) continue;
      failed += 1;
      print(`MISS left behind: ${left}`);
    }
    print(`${passed + failed} attempts, ${failed} misses`);
    return { passed, failed, ...(skipped.length > 0 && { skipped: skipped.join("; ") }) };
  },
};
