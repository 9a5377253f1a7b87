/** A tool's rate holds across four workers: no second has more starts than the limit, and the limit is used. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NatsExecutor } from "@toolrig/nats";
import { startNats } from "../scripts/start-nats.ts";
import { Crew } from "./fleet/crew.ts";
import type { Proof } from "./proof.ts";

const LIMIT = 100;
const WORKERS = 4;
const WINDOW_MS = 1_000;
const TOLERANCE = 1.05;
/** Of what the limit allows, over the whole time. */
const USED = 0.9;

export const proof: Proof = {
  name: "rate",
  claim: "A rate limit holds across four workers in every one-second window, within 5%, and is used to 90%",
  async run(mode, print) {
    const seconds = mode === "full" ? 60 : 4;
    const folder = mkdtempSync(join(tmpdir(), "toolrig-rate-"));
    const server = await startNats();
    const crew = new Crew(server.url, folder, { RATE: String(LIMIT) });
    const executor = await NatsExecutor.connect({
      nats: { servers: server.url },
      fleet: { ackWait: "1s" },
      queueTimeout: "120s",
    });
    try {
      await crew.resize(WORKERS);
      const until = Date.now() + seconds * 1_000;
      let failed = 0;
      const one = async () => {
        while (Date.now() < until)
          failed += Number((await executor.call({ id: "c", name: "limited", arguments: {} })).isError);
      };
      await Promise.all(Array.from({ length: LIMIT }, one));
      const starts = readFileSync(join(folder, "starts"), "utf8")
        .split("\n")
        .filter(Boolean)
        .map(Number)
        .sort((a, b) => a - b);
      const worst = worstWindow(starts);
      print(`${starts.length} starts in ${seconds} s at a limit of ${LIMIT} a second, ${failed} refused`);
      print(`worst window of one second: ${worst} starts`);
      const checks = [worst <= LIMIT * TOLERANCE, failed === 0, starts.length >= USED * LIMIT * seconds];
      const passed = checks.filter(Boolean).length;
      return { passed, failed: checks.length - passed };
    } finally {
      await crew.dismiss();
      await executor.close();
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function worstWindow(starts: readonly number[]): number {
  let worst = 0;
  let first = 0;
  for (const [index, at] of starts.entries()) {
    while (at - starts[first]! >= WINDOW_MS) first += 1;
    worst = Math.max(worst, index - first + 1);
  }
  return worst;
}
