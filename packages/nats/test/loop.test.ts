/** A loop on a fleet, whose runs wait for the world: it knows no difference to an executor of its own process. */
import { AgentLoop, scriptedEngine } from "@toolrig/agent";
import { MemoryJournal, tool } from "@toolrig/core";
import { expect, test } from "vitest";
import { startNats } from "../../../scripts/start-nats.ts";
import { NatsExecutor } from "../src/caller/executor.ts";
import { NatsWorker } from "../src/worker/worker.ts";

test("a run that waits for a fleet is resumed by itself when the answer has come", async () => {
  const server = await startNats();
  const nats = { servers: server.url };
  const book = tool({
    name: "book",
    description: "Book a room",
    input: { type: "object" },
    async execute(_, { ask }) {
      const day = await ask({ message: "Which day?" });
      return day.status === "answered" ? day.value : day.status;
    },
  });
  const worker = new NatsWorker({ nats, tools: [book] });
  await worker.start();
  const executor = await NatsExecutor.connect({ nats, caller: "desk" });
  const tools = await executor.fleet();
  const journal = new MemoryJournal();
  const loopOf = (script: Parameters<typeof scriptedEngine>[0]) =>
    new AgentLoop({ engine: scriptedEngine(script), tools, executor, journal, onWaiting: "return" });
  const first = await loopOf([{ calls: [{ name: "book", arguments: {} }] }]).run("go", { runId: "r" })
    .outcome;
  expect(first.status).toBe("waiting");
  const [out] = first.status === "waiting" ? first.waits : [];
  const id = out?.waiting.id ?? "";
  expect(await executor.waits.store.get(id)).toMatchObject({ kind: "question", name: "book" });

  const told: string[] = [];
  const stop = loopOf(["booked"]).resumeWhenReady({
    every: "50ms",
    onResume: async ({ outcome }) => told.push((await outcome).status),
  });
  expect(told).toEqual([]);
  await executor.remoteWaits.answer(id, { by: { id: "ann" }, value: "monday" });
  await expect.poll(() => told).toEqual(["answered"]);
  stop();
  await executor.close();
  await worker.stop();
  await server.close();
});
