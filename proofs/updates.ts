/** Progress of concurrent calls on another machine: every update, in order, and none after the end. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NatsExecutor } from "@toolrig/nats";
import { startNats } from "../scripts/start-nats.ts";
import { Crew } from "./fleet/crew.ts";
import type { Proof } from "./proof.ts";

const CALLS = 50;

/** What was seen of one call. */
interface Seen {
  updates: number[];
  ended: number;
  after: number;
}

export const proof: Proof = {
  name: "updates",
  claim: "Updates of concurrent calls on a fleet arrive in order, all of them, and none after the end",
  async run(mode, print) {
    const each = mode === "full" ? 200 : 40;
    const folder = mkdtempSync(join(tmpdir(), "toolrig-updates-"));
    const server = await startNats();
    const crew = new Crew(server.url, folder);
    const executor = await NatsExecutor.connect({ nats: { servers: server.url }, fleet: { ackWait: "1s" } });
    const seen = new Map<string, Seen>();
    executor.events.on((event) => {
      const of = seen.get(event.callId) ?? { updates: [], ended: 0, after: 0 };
      seen.set(event.callId, of);
      if (event.type === "call.update") {
        of.updates.push(event.update.details as number);
        if (of.ended > 0) of.after += 1;
      }
      if (event.type === "call.end") of.ended += 1;
    });
    try {
      await crew.resize(2);
      const results = await Promise.all(
        Array.from({ length: CALLS }, (_, number) =>
          executor.call({ id: `call_${number}`, name: "again", arguments: { number, updates: each } }),
        ),
      );
      // Whatever is still on its way may arrive.
      await new Promise((resolve) => setTimeout(resolve, 300));
      const misses = results.flatMap(({ callId, isError }) =>
        missesOf(callId, isError, seen.get(callId), each),
      );
      const total = [...seen.values()].reduce((sum, { updates }) => sum + updates.length, 0);
      print(`${CALLS} calls at once, ${total} updates of ${CALLS * each}`);
      for (const miss of misses) print(`MISS ${miss}`);
      return { passed: CALLS - misses.length, failed: misses.length };
    } finally {
      await crew.dismiss();
      await executor.close();
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function missesOf(callId: string, isError: boolean, seen: Seen | undefined, each: number): string[] {
  if (isError || seen === undefined) return [`${callId} failed`];
  const wrong = seen.updates.findIndex((update, index) => update !== index + 1);
  if (wrong >= 0) return [`${callId}: update ${wrong + 1} was ${seen.updates[wrong]}`];
  if (seen.updates.length !== each) return [`${callId}: ${seen.updates.length} updates instead of ${each}`];
  if (seen.ended !== 1 || seen.after > 0)
    return [`${callId}: ended ${seen.ended} times, ${seen.after} updates after it`];
  return [];
}
