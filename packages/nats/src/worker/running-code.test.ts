/** What a worker runs at once is code that runs, not calls that were not answered yet. */
import { tool } from "@toolrig/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type NatsProcess, startNats } from "../../../../scripts/start-nats.ts";
import { NatsExecutor } from "../caller/executor.ts";
import type { Priority } from "../wire/names.ts";
import type { WorkerConfig } from "./config.ts";
import { NatsWorker } from "./worker.ts";

const fleet = { ackWait: "500ms" } as const;
let server: NatsProcess;
let executor: NatsExecutor;
const workers: NatsWorker[] = [];

beforeAll(async () => {
  server = await startNats();
  executor = await NatsExecutor.connect({ nats: { servers: server.url }, fleet });
});

afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop("5s")));
  await executor.close();
  await server.close();
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A tool that counts how often its code runs at once, and does not listen to its signal. */
function deaf(name: string, ms: number, more: object = {}) {
  const seen = { now: 0, most: 0, starts: 0 };
  const enter = () => {
    seen.starts += 1;
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
  };
  const spec = {
    name,
    description: name,
    input: { type: "object" },
    safety: { sideEffects: "write" },
    ...more,
  } as const;
  const plain = tool({
    ...spec,
    async execute() {
      enter();
      await pause(ms);
      seen.now -= 1;
    },
  });
  const steps = tool({
    ...spec,
    async *execute() {
      enter();
      yield "begun";
      await pause(ms);
      seen.now -= 1;
    },
  });
  return { plain, steps, seen };
}

async function work(made: ReturnType<typeof deaf>["plain"], config: WorkerConfig = {}): Promise<NatsWorker> {
  const worker = new NatsWorker({ nats: { servers: server.url }, fleet, tools: [made], config });
  await worker.start();
  workers.push(worker);
  const view = await executor.fleet();
  await expect.poll(() => view.offersOf(made.name).length).toBeGreaterThan(0);
  return worker;
}

const callMany = (name: string, count: number, priority: Priority = "normal") =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      executor.call({ id: `${priority}${index}`, name, arguments: {} }, { priority }),
    ),
  );

test("a worker runs no more calls of a tool at once than it says, by whatever lanes they come", async () => {
  const { plain, seen } = deaf("in_lanes", 20, { version: "1.0.0" });
  await work(plain, { concurrency: 4, priorities: true });
  const lanes: Priority[] = ["high", "normal", "low"];
  const results = (await Promise.all(lanes.map((lane) => callMany("in_lanes", 20, lane)))).flat();
  expect(results.filter(({ isError }) => isError)).toEqual([]);
  expect(seen.starts).toBe(60);
  expect(seen.most).toBeLessThanOrEqual(4);
});

describe("a tool that goes on after its timeout", () => {
  test.each(["plain", "steps"] as const)("keeps its place until its code has ended: %s", async (kind) => {
    const made = deaf(`deaf_${kind}`, 400, { concurrency: 2, timeout: "50ms" });
    const own = await work(made[kind]);
    const other = await work(made[kind]);
    const results = await callMany(`deaf_${kind}`, 8);
    expect(new Set(results.map(({ failure }) => failure?.code))).toEqual(new Set(["TOOL_TIMEOUT"]));
    expect(made.seen.starts).toBe(8);
    expect(made.seen.most).toBeLessThanOrEqual(2);
    expect([own.dataFlow().overran, other.dataFlow().overran]).toEqual([0, 0]);
  });

  test("keeps it for no longer than it may, and that is counted", async () => {
    const { plain, seen } = deaf("deaf_for_long", 60_000, { concurrency: 1, timeout: "50ms" });
    const worker = await work(plain, { overrun: "100ms" });
    await callMany("deaf_for_long", 3);
    expect(seen.most).toBe(3);
    await expect.poll(() => worker.dataFlow().overran).toBe(3);
  });

  test("holds a worker that stops for as long as that may take", async () => {
    const { plain } = deaf("deaf_at_the_end", 60_000, { timeout: "50ms" });
    const worker = await work(plain);
    await callMany("deaf_at_the_end", 1);
    await worker.stop("50ms");
    expect(worker.dataFlow()).toMatchObject({ overran: 1, inFlight: 0 });
  });
});
