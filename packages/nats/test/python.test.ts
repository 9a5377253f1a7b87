/** The protocol of docs/wire.md suffices: a worker and a caller in another language work with ours. */
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { jetstream } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { tool } from "@toolrig/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type NatsProcess, startNats } from "../../../scripts/start-nats.ts";
import { NatsExecutor, NatsWorker } from "../src/index.ts";
import { fingerprintOf } from "../src/wire/messages.ts";

const examples = join(import.meta.dirname, "../../../examples/python");
const found = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;
if (!found) console.warn("python3 of 3.9 or later is not there: the fleet is not tested with Python.");

test("the fingerprint that the page gives is right", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/wire.md"), "utf8");
  expect(page).toContain(fingerprintOf({ id: "c", name: "double", arguments: { n: 21 } }));
});

describe.skipIf(!found)("a fleet with Python in it", () => {
  let server: NatsProcess;
  let wire: NatsConnection;
  let executor: NatsExecutor;
  let python: ChildProcess;

  beforeAll(async () => {
    server = await startNats();
    wire = await connect({ servers: server.url });
    executor = await NatsExecutor.connect({ nats: { servers: server.url }, queueTimeout: "30s" });
    python = spawn("python3", [join(examples, "worker.py"), server.url], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise((resolve) => python.stdout?.once("data", resolve));
  });

  afterAll(async () => {
    python.kill();
    await executor.close();
    await wire.close();
    await server.close();
  });

  test("our caller calls their tool, and comes back for the result", async () => {
    const call = { id: "c", name: "count_words", arguments: { text: "Wörter über   Wörter" } };
    const view = await executor.fleet();
    await expect.poll(() => view.workers().length, { timeout: 20_000 }).toBe(1);
    const first = await executor.call(call, { executionId: "py.1" });
    expect(first).toMatchObject({ callId: "c", isError: false, value: 3, content: [{ text: "3" }] });
    expect((await executor.call(call, { executionId: "py.1" })).value).toBe(3);
    const other = { ...call, arguments: { text: "other" } };
    expect((await executor.call(other, { executionId: "py.1" })).failure?.code).toBe("TOOL_BLOCKED");
  });

  test("their failure is a failure here", async () => {
    const { failure } = await executor.call({ id: "c", name: "count_words", arguments: { text: 7 } });
    expect(failure).toMatchObject({ code: "TOOL_EXECUTION_FAILED", kind: "validation" });
  });

  test("a plain call has a plain result, whoever answers it", async () => {
    const heard: unknown[] = [];
    wire.subscribe("tool.result.plain_1", { callback: (_error, message) => void heard.push(message.json()) });
    await wire.flush();
    const plain = { id: "plain_1", name: "count_words", arguments: { text: "a b" } };
    await jetstream(wire).publish("tool.execute.count_words", JSON.stringify(plain));
    await expect.poll(() => heard, { timeout: 20_000 }).toMatchObject([{ callId: "plain_1", value: 2 }]);
  });

  test("a call that a lost worker had begun is taken over", async () => {
    const call = { id: "c", name: "count_words", arguments: { text: "x" } };
    const entry = {
      state: "started",
      worker: "gone",
      attempt: 1,
      fingerprint: fingerprintOf(call),
      at: Date.now(),
    };
    await jetstream(wire).publish("$KV.TOOL_LEDGER.py.2", JSON.stringify(entry));
    expect((await executor.call(call, { executionId: "py.2" })).value).toBe(1);
  });

  test("their caller calls our tool", async () => {
    const input = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;
    const double = tool({ name: "double", description: "Double", input, execute: ({ n }) => 2 * n });
    const worker = new NatsWorker({ nats: { servers: server.url }, tools: [double] });
    await worker.start();
    const args = [join(examples, "caller.py"), server.url, "double", '{"n": 21}'];
    const { stdout } = await promisify(execFile)("python3", args, { timeout: 60_000 });
    expect(JSON.parse(stdout)).toMatchObject({ name: "double", isError: false, value: 42 });
    await worker.stop();
  });
});
