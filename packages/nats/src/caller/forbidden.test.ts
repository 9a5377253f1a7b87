/** What is told as not allowed did not run and will not. */
import { connect } from "@nats-io/transport-node";
import { scriptedTool } from "@toolrig/core/testing";
import { expect, test } from "vitest";
import { HANG_MS } from "../../../../scripts/hang-limit.ts";
import { startNats } from "../../../../scripts/start-nats.ts";
import { NatsWorker } from "../worker/worker.ts";
import { NatsExecutor } from "./executor.ts";

const USERS = `authorization { users: [
  { user: admin, password: x }
  { user: desk, password: x, permissions: { publish: { allow: [">"], deny: ["nothing"] } } }
] }`;

test("a call that the queue may have, and that may not be sent again, does not run once that is said", async () => {
  const server = await startNats({ extra: USERS });
  const as = (user: string) => ({ servers: server.url, user, pass: "x", maxReconnectAttempts: -1 });
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const pay = scriptedTool({ name: "pay", safety: { sideEffects: "write" }, script: [() => held] });
  const worker = new NatsWorker({ nats: as("admin"), tools: [pay], config: { concurrency: 1 } });
  await worker.start();
  const desk = await NatsExecutor.connect({ nats: as("desk"), caller: "desk" });
  const before = desk.call({ id: "c", name: "pay", arguments: {} });
  await expect.poll(() => pay.calls.length).toBe(1);
  // The queue has it, and its caller heard nothing of that.
  const wire = await connect(as("admin"));
  const call = { id: "c", name: "pay", arguments: { n: 2 } };
  const executionId = "exec_doubtful";
  await wire.request("tool.execute.pay", JSON.stringify({ executionId, caller: "desk", call }), {
    timeout: HANG_MS,
  });
  await server.kill("SIGKILL");
  const result = desk.call(call, { executionId });
  await server.reload((text) => text.replace('"nothing"', '"tool.execute.pay"'));
  await server.restart();
  expect((await result).failure?.code).toBe("TOOL_NOT_ALLOWED");
  release();
  expect((await before).isError).toBe(false);
  expect((await desk.resultOf(executionId))?.failure?.code).toBe("TOOL_NOT_ALLOWED");
  await desk.close();
  await worker.stop();
  expect(pay.calls).toEqual([{}]);
  await wire.close();
  await server.close();
});
