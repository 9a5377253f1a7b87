/** Calls that a worker of a fleet runs, for a caller that knows only the server. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NatsExecutor, NatsWorker } from "@toolrig/nats";
import { startNats } from "../../scripts/start-nats.ts";
import { Crew } from "../fleet/crew.ts";
import type { Asked } from "./house.ts";
import { callOf, from, oneByOne, type Way } from "./way.ts";

/** The names of callers are part of what an execution is called: the same one asks again. */
const CALLER = "around";

export function fleet(url: string): Way {
  const nats = { servers: url };
  return {
    name: "fleet",
    source: "model",
    shared: "outcomes in a fleet belong to the name of a caller, which answers for whom it gives them to",
    ledger: killedWorker,
    async make(house, asked) {
      const { ledger: _, ...options } = house.options;
      const worker = new NatsWorker({ nats, globalTools: false, ...options });
      await worker.start();
      const executor = await NatsExecutor.connect({ nats, caller: CALLER });
      const call = (each: Asked, index: number) => {
        const executionId = house.executionId(index);
        return executor.call(callOf(each, index), { ...from(house, each), executionId });
      };
      try {
        return await oneByOne(asked, call);
      } finally {
        await executor.close();
        // Every call is answered; only a tool that never ends is still at it.
        await worker.stop("500ms");
      }
    },
  };
}

/** Of two workers, one is killed in the middle of a side effect. Every call is made twice, by two callers of one name. */
async function killedWorker(): Promise<string[]> {
  const server = await startNats();
  const folder = mkdtempSync(join(tmpdir(), "toolrig-around-"));
  const crew = new Crew(server.url, folder);
  const misses: string[] = [];
  try {
    await crew.resize(2);
    for (const turn of ["first", "second"]) {
      const executor = await NatsExecutor.connect({ nats: { servers: server.url }, caller: CALLER });
      const told = async (number: number, more: object) => {
        const call = { id: `call_${number}`, name: "once", arguments: { number, ...more } };
        const result = await executor.call(call, { executionId: `exec_${number}` });
        return `${result.failure?.code ?? "ok"}${result.replayed === true ? ", replayed" : ""}`;
      };
      const [lost, kept] = [await told(1, { dieAt: "after-effect" }), await told(2, {})];
      const again = turn === "first" ? "" : ", replayed";
      if (lost !== `TOOL_OUTCOME_UNKNOWN${again}`) misses.push(`the ${turn} time, killed in it: ${lost}`);
      if (kept !== `ok${again}`) misses.push(`the ${turn} time: ${kept}`);
      await executor.close();
    }
    const effects = readFileSync(join(folder, "effects"), "utf8").trim().split("\n");
    if (effects.join() !== "once 1,once 2") misses.push(`effects: ${effects.join()}`);
    if (crew.deaths !== 1) misses.push(`${crew.deaths} workers died instead of 1`);
  } finally {
    await crew.dismiss();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return misses;
}
