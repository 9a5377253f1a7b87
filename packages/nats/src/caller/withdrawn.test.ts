/** What is answered as "did not run" does not run later, also when the call waits in the queue since an earlier life of its caller. */
import { connect } from "@nats-io/transport-node";
import { tool } from "@toolrig/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HANG_MS } from "../../../../scripts/hang-limit.ts";
import { type NatsProcess, startNats } from "../../../../scripts/start-nats.ts";
import { NatsWorker } from "../worker/worker.ts";
import { NatsExecutor } from "./executor.ts";

const fleet = { ackWait: "500ms" } as const;
let server: NatsProcess;
beforeAll(async () => {
  server = await startNats();
});
afterAll(() => server.close());

function payAt(version: string) {
  const paid: string[] = [];
  const pay = tool({
    name: "pay",
    version,
    description: "Pay",
    input: { type: "object" },
    safety: { sideEffects: "external" },
    execute: () => void paid.push(version),
  });
  return { pay, paid };
}

/** A call of `pay` in version 1 waits in the queue, its caller is gone, and only version 2 has a worker. */
async function queuedBefore(executionId: string) {
  const nats = { servers: server.url };
  const first = new NatsWorker({ nats, fleet, tools: [payAt("1.0.0").pay] });
  await first.start();
  await first.stop("1s");
  const second = new NatsWorker({ nats, fleet, tools: [payAt("2.0.0").pay] });
  await second.start();
  const call = { id: "c", name: "pay", version: "^1", arguments: {} };
  const wire = await connect(nats);
  const text = JSON.stringify({ executionId, caller: "desk", call });
  await wire.request("tool.execute.pay.v1", text, { timeout: HANG_MS });
  await wire.close();
  const executor = await NatsExecutor.connect({ nats, fleet, caller: "desk" });
  await expect.poll(async () => (await executor.fleet()).offersOf("pay", "^2").length).toBe(1);
  return {
    executor,
    call,
    /** How often it ran once there is a worker for it again. */
    async ran() {
      const { pay, paid } = payAt("1.0.0");
      const worker = new NatsWorker({ nats, fleet, tools: [pay] });
      await worker.start();
      await expect.poll(() => worker.dataFlow().received).toBe(1);
      await expect
        .poll(async () => (await (await executor.fleet()).queues()).every((each) => each.running === 0))
        .toBe(true);
      await worker.stop("1s");
      return paid.length;
    },
    async close() {
      await executor.close();
      await second.stop("1s");
    },
  };
}

test("a call that is not found is withdrawn first", async () => {
  const { executor, call, ran, close } = await queuedBefore("exec_notfound");
  const result = await executor.call(call, { executionId: "exec_notfound" });
  expect(result.failure?.code).toBe("TOOL_NOT_FOUND");
  expect(await ran()).toBe(0);
  expect((await executor.resultOf("exec_notfound"))?.failure?.code).toBe("TOOL_NOT_FOUND");
  await close();
});

test("a call that was cancelled before it was submitted again is withdrawn first", async () => {
  const { executor, call, ran, close } = await queuedBefore("exec_cancelled");
  const signal = AbortSignal.abort();
  const result = await executor.call({ ...call, version: "^2" }, { executionId: "exec_other", signal });
  expect(result.failure?.code).toBe("TOOL_CANCELLED");
  const again = await executor.call(call, { executionId: "exec_cancelled", signal });
  expect(["TOOL_CANCELLED", "TOOL_NOT_FOUND"]).toContain(again.failure?.code);
  expect(await ran()).toBe(0);
  await close();
});
