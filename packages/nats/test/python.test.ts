/** The protocol of docs/wire.md suffices: a worker and a caller in another language work with ours. */
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, headers, type NatsConnection } from "@nats-io/transport-node";
import { tool } from "@toolrig/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HANG_MS } from "../../../scripts/hang-limit.ts";
import { type NatsProcess, startNats } from "../../../scripts/start-nats.ts";
import { DeadLetters, NatsExecutor, NatsWorker } from "../src/index.ts";
import { fingerprintOf } from "../src/wire/messages.ts";

const examples = join(import.meta.dirname, "../../../examples/python");
const found = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;
if (!found) console.warn("python3 of 3.9 or later is not there: the fleet is not tested with Python.");

test("the fingerprint that the page gives is right", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/wire.md"), "utf8");
  expect(page).toContain(fingerprintOf({ id: "c", name: "double", arguments: { n: 21 } }));
});

test.skipIf(!found)("the fingerprint in Python is that of JavaScript", () => {
  const values = [
    ...[0, -0, 1e-7, 1e-6, 1.5e-10, 1e20, 1e21, -123.456, 5e-324, 2 ** 53, 1e300, 0.1, 100, 1234567.5],
    ...["a", "é", "\u2028", "\ud83d\ude00", "\ud800", '\u0001\t"', "", "{}"],
    ...[null, true, [], [1, [2, { z: 1, a: 2 }]]],
    { b: 1, a: 2, 10: 3, 9: 4, "01": 5, 4294967295: 6, é: 7, "\ud83d\ude00": 8, "\uffff": 9, "": 10 },
  ];
  const calls = values.map((each) => ({ id: "c", name: "x", version: "^1", arguments: each }));
  // As it may come, and as it comes from another language.
  const texts = [...calls.map((each) => JSON.stringify(each)), '{"id":"c","name":"x","arguments":1E400}'];
  texts.push('{"id":"c","name":"x","arguments":{"n":[1.0,10000000000000000000000,1e2,-0]},"version":7}');
  const script = `import sys, json; sys.path.insert(0, sys.argv[1]); from fleet import *
print(json.dumps([fingerprint(parse(each)) for each in json.load(sys.stdin)]))`;
  const { stdout } = spawnSync("python3", ["-c", script, examples], { input: JSON.stringify(texts) });
  const ours = texts.map((text) => {
    const { version, ...call } = JSON.parse(text);
    return fingerprintOf({ ...call, ...(typeof version === "string" && { version }) });
  });
  expect(JSON.parse(stdout.toString())).toEqual(ours);
});

test("every file of the example is short", () => {
  for (const file of readdirSync(examples).filter((each) => each.endsWith(".py")))
    expect(readFileSync(join(examples, file), "utf8").split("\n").length, file).toBeLessThanOrEqual(200);
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
    await expect.poll(() => view.workers().length).toBe(1);
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
    await expect.poll(() => heard).toMatchObject([{ callId: "plain_1", value: 2 }]);
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
    expect(await callerPy("double", '{"n": 21}')).toMatchObject({
      name: "double",
      isError: false,
      value: 42,
    });
    await worker.stop();
  });

  test("their worker reads arguments as text and large calls", async () => {
    const args = { id: "c", name: "count_words", arguments: '{"text": "a b c"}' };
    expect((await executor.call(args)).value).toBe(3);
    expect((await executor.call({ ...args, arguments: "{oh" })).failure?.kind).toBe("validation");
    const text = "word ".repeat(300_000);
    expect((await executor.call({ ...args, arguments: { text } })).value).toBe(300_000);
  });

  test("their worker puts aside what is no call, and runs the next", async () => {
    const letters = await DeadLetters.connect({ nats: { servers: server.url } });
    const before = (await letters.list()).length;
    const bodies = [
      "{",
      "[]",
      "null",
      '{"id":7,"name":"count_words"}',
      '{"id":"x","name":"delete_all"}',
      '{"id":"x","name":"count_words","executionId":0}',
      '{"object":7}',
      '{"object":"py.gone.call.1"}',
      '{"id":"x","name":"count_words","arguments":NaN}',
      `{"id":"x","name":"count_words","arguments":${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
    ];
    for (const body of bodies) await jetstream(wire).publish("tool.execute.count_words", body);
    const call = { id: "c", name: "count_words", arguments: { text: "still here" } };
    expect((await executor.call(call)).value).toBe(2);
    await expect.poll(async () => (await letters.list()).length).toBe(before + bodies.length);
    const tools = (await letters.list()).slice(before).map(({ tool }) => tool);
    expect(new Set(tools)).toEqual(new Set(["malformed"]));
    const { streams } = await jetstreamManager(wire);
    await expect.poll(async () => (await streams.info("AGENT")).state.messages).toBe(0);
    await letters.close();
  });

  test("their worker answers inboxes only", async () => {
    const [worker] = (await executor.fleet()).workers();
    const heard: string[] = [];
    wire.subscribe("tool.cancel.>", { callback: (_error, message) => void heard.push(message.subject) });
    wire.publish(`tool.worker.${worker?.id}`, "x", { reply: "tool.cancel.x.y" });
    expect((await wire.request(`tool.worker.${worker?.id}`, "x", { timeout: HANG_MS })).string()).toBe("no");
    await wire.flush();
    expect(heard).toEqual([]);
  });

  test("their caller is not taken in by noise and forgery, and reads a large result", async () => {
    const large = "x".repeat(1_500_000);
    let forge = () => {};
    const echo = tool({
      name: "echo_large",
      description: "Echo",
      input: { type: "object" },
      execute: async (_args, { executionId }) => {
        for (const text of ["{", "null", "7"]) {
          const stray = headers();
          stray.append("Nats-Subject", `$KV.TOOL_LEDGER.${executionId}`);
          wire.publish(`tool.result.${executionId}`, text, { headers: stray });
        }
        const result = { isError: false, value: "forged" };
        const forged = JSON.stringify({ state: "final", fingerprint: "x", at: 1, result });
        wire.publish(`tool.result.${executionId}`, forged);
        await wire.flush();
        forge();
        return large;
      },
    });
    const forged = new Promise<void>((resolve) => {
      forge = resolve;
    });
    const worker = new NatsWorker({ nats: { servers: server.url }, tools: [echo] });
    await worker.start();
    const [result] = await Promise.all([callerPy("echo_large", "{}"), forged]);
    expect(result.value).toBe(large);
    await worker.stop();
  });

  async function callerPy(name: string, args: string): Promise<{ value?: unknown }> {
    const command = [join(examples, "caller.py"), server.url, name, args];
    const limits = { timeout: HANG_MS, maxBuffer: 100_000_000 };
    return JSON.parse((await promisify(execFile)("python3", command, limits)).stdout);
  }
});
