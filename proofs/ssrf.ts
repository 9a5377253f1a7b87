/** However the address of an inner service is written, resolved, changed or redirected to, nothing reaches it. */
import type { Proof } from "./proof.ts";
import { type Attempt, attemptsOn } from "./ssrf/attempts.ts";
import { Scene, type Seen } from "./ssrf/scene.ts";

export const proof: Proof = {
  name: "ssrf",
  claim:
    "fetch_url reaches no inner service, however its address is written, resolved, rebound or redirected to",
  async run(_, print) {
    const scene = await Scene.open();
    const tally = { passed: 0, failed: 0, reached: 0 };
    try {
      for (const attempt of attemptsOn(scene)) {
        const seen = await scene.attempt(attempt.url, attempt);
        const miss = missOf(attempt, seen);
        tally[miss === undefined ? "passed" : "failed"] += 1;
        if (attempt.reaches !== true) tally.reached += seen.reached;
        const expected = attempt.reaches === true ? "reached" : "refused";
        print(
          `${miss === undefined ? "held" : "MISS"}  ${expected}  ${attempt.name}${miss === undefined ? "" : `: ${miss}`}`,
        );
      }
    } finally {
      await scene.close();
    }
    print(`${tally.passed + tally.failed} attempts, ${tally.reached} reached the house`);
    return { passed: tally.passed, failed: tally.failed };
  },
};

function missOf(attempt: Attempt, seen: Seen): string | undefined {
  const { result, reached, attempted } = seen;
  if (attempt.reaches === true)
    return result.isError ? `it was not reached: ${result.failure?.message}` : undefined;
  if (reached > 0) return `${reached} requests arrived`;
  const text = JSON.stringify(result);
  if (text.includes("secrets of the house")) return "it answered with what the house says";
  const strays = attempted.filter((address) => attempt.mayAttempt?.includes(address) !== true);
  if (strays.length > 0) return `a connection was attempted to ${strays.join(", ")}`;
  const refused = result.isError || text.includes("not followed");
  return refused ? attempt.also?.(seen) : "it was not refused";
}
