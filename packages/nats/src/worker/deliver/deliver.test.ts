/** The delivery contract: what becomes of a call, whatever happens to messages, workers and ledger entries. */

import { jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { connect, headers, type NatsConnection } from "@nats-io/transport-node";
import { type ToolResult, tool } from "@toolrig/core";
import { type ScriptedTool, scriptedTool } from "@toolrig/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HANG_MS } from "../../../../../scripts/hang-limit.ts";
import { type NatsProcess, startNats } from "../../../../../scripts/start-nats.ts";
import { NatsExecutor } from "../../caller/executor.ts";
import { DeadLetters } from "../../fleet/dead-letters.ts";
import { type ExecutionState, fingerprintOf } from "../../wire/messages.ts";
import type { NatsWorkerOptions } from "../options.ts";
import { NatsWorker } from "../worker.ts";

const fleet = { ackWait: "300ms" } as const;
let server: NatsProcess;
let wire: NatsConnection;
let executor: NatsExecutor;
let letters: DeadLetters;
let count = 0;
const workers: NatsWorker[] = [];

beforeAll(async () => {
  server = await startNats();
  wire = await connect({ servers: server.url });
  executor = await NatsExecutor.connect({ nats: { servers: server.url }, fleet });
  letters = await DeadLetters.connect({ nats: { servers: server.url }, fleet });
});

afterAll(async () => {
  await Promise.all(workers.map((each) => each.stop("1s")));
  await executor.close();
  await letters.close();
  await wire.close();
  await server.close();
});

async function work(tools: NatsWorkerOptions["tools"], more: Partial<NatsWorkerOptions> = {}) {
  const worker = new NatsWorker({ nats: { servers: server.url }, fleet, tools: tools!, ...more });
  await worker.start();
  workers.push(worker);
  return worker;
}

function named(name: string): string {
  count += 1;
  return `${name}_${count}`;
}

/** A tool that changes the world and must not do so twice. */
const once = (script?: Parameters<typeof scriptedTool>[0]["script"]): ScriptedTool =>
  scriptedTool({ name: named("once"), safety: { sideEffects: "write" }, ...(script && { script }) });
const again = (script?: Parameters<typeof scriptedTool>[0]["script"]): ScriptedTool =>
  scriptedTool({
    name: named("again"),
    safety: { sideEffects: "write", idempotent: true },
    ...(script && { script }),
  });

async function ledger() {
  const bucket = await new Kvm(wire).open("TOOL_LEDGER", { allow_direct: true });
  return {
    async put(key: string, state: ExecutionState) {
      await bucket.put(key, JSON.stringify(state));
    },
    async read(key: string): Promise<ExecutionState | undefined> {
      return (await bucket.get(key))?.json();
    },
    async final(key: string): Promise<ToolResult> {
      const state = await expect
        .poll(async () => (await bucket.get(key))?.json<ExecutionState>())
        .toMatchObject({ state: "final" })
        .then(async () => (await bucket.get(key))!.json<ExecutionState>());
      return (state as { result: ToolResult }).result;
    },
  };
}

function startedBy(worker: string, call: { id: string; name: string }, attempt = 1): ExecutionState {
  return { state: "started", worker, attempt, fingerprint: fingerprintOf({ ...call, arguments: {} }), at: 1 };
}

const publish = (name: string, body: unknown) =>
  wire.publish(`tool.execute.${name}`, typeof body === "string" ? body : JSON.stringify(body));

describe("a call", () => {
  test("as other systems publish it runs, under its call id", async () => {
    const read = scriptedTool({ name: "file_read", script: [{ returns: "the text" }] });
    await work([read]);
    const heard = wire.subscribe("tool.result.>");
    publish("file_read", { id: "call_7", name: "file_read", arguments: { path: "a" } });
    const states: ExecutionState[] = [];
    for await (const message of heard) {
      expect(message.subject).toBe("tool.result.id.call_7");
      states.push(message.json());
      if (states.at(-1)!.state === "final") break;
    }
    expect(states.map(({ state }) => state)).toEqual(["started", "final"]);
    const { result } = states[1] as { result: ToolResult };
    expect(result).toMatchObject({ callId: "call_7", executionId: "call_7", isError: false });
    expect(read.calls).toEqual([{ path: "a" }]);
  });

  test("published many times runs once", async () => {
    const tool = once([() => new Promise((resolve) => setTimeout(() => resolve("done"), 100))]);
    await work([tool]);
    await work([tool]);
    const call = { id: named("dup"), name: tool.name };
    for (let copy = 0; copy < 10; copy++) publish(tool.name, call);
    await (await ledger()).final(`id.${call.id}`);
    const manager = await jetstreamManager(wire);
    await expect.poll(async () => (await manager.streams.info("AGENT")).state.messages).toBe(0);
    expect(tool.calls.length).toBe(1);
  });

  test("with an execution id that another call has is refused and put aside", async () => {
    const tool = once();
    await work([tool]);
    const executionId = named("taken");
    await executor.call({ id: "c", name: tool.name, arguments: { n: 1 } }, { executionId });
    const other = await executor.call({ id: "c", name: tool.name, arguments: { n: 2 } }, { executionId });
    expect(other.failure?.code).toBe("TOOL_BLOCKED");
    publish(tool.name, { id: executionId, name: tool.name, arguments: { n: 3 } });
    await expect
      .poll(async () => (await letters.list()).map(({ reason }) => reason))
      .toContain("another call has this execution id");
    expect(tool.calls).toEqual([{ n: 1 }]);
  });

  test("of a major version and a range goes to a worker that has it", async () => {
    const name = named("versioned");
    const make = (version: string) =>
      scriptedTool({ name, script: [{ returns: version }], more: { version } });
    await work([make("1.2.0"), make("1.4.0")]);
    await work([make("2.0.1")]);
    const versions = ["^1.2", "1.2.0", "2.x", undefined, "^3"].map(async (version) => {
      const call = { id: "c", name, arguments: {}, ...(version !== undefined && { version }) };
      const { value, failure } = await executor.call(call);
      return value ?? failure?.code;
    });
    await expect.poll(async () => (await executor.fleet()).offersOf(name).length).toBe(3);
    expect(await Promise.all(versions)).toEqual(["1.4.0", "1.2.0", "2.0.1", "2.0.1", "TOOL_NOT_FOUND"]);
    wire.publish(`tool.execute.${name}.v1`, JSON.stringify({ id: `${name}_raw`, name }));
    expect((await (await ledger()).final(`id.${name}_raw`)).value).toBe("1.4.0");
    wire.publish(`tool.execute.${name}.v1`, JSON.stringify({ id: `${name}_none`, name, version: "1.9.0" }));
    expect((await (await ledger()).final(`id.${name}_none`)).failure?.code).toBe("TOOL_NOT_FOUND");
  });
});

describe("a call that a lost worker had started", () => {
  test("is not run again when it must not be", async () => {
    const tool = once();
    await work([tool]);
    const call = { id: named("lost"), name: tool.name };
    await (await ledger()).put(`id.${call.id}`, startedBy("gone", call));
    publish(tool.name, call);
    const { failure } = await (await ledger()).final(`id.${call.id}`);
    expect(failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
    expect(tool.calls.length).toBe(0);
  });

  test("runs again when it may, and the attempts are counted", async () => {
    const tool = again([{ returns: "second time" }]);
    await work([tool]);
    const call = { id: named("lost"), name: tool.name };
    await (await ledger()).put(`id.${call.id}`, startedBy("gone", call));
    publish(tool.name, call);
    expect((await (await ledger()).final(`id.${call.id}`)).value).toBe("second time");
    expect(tool.calls.length).toBe(1);
  });

  test("is left to a worker that says it runs it", async () => {
    const tool = again();
    const worker = await work([tool]);
    const call = { id: named("kept"), name: tool.name };
    let asked = 0;
    const owner = wire.subscribe("tool.worker.owner", {
      callback: (_error, message) => {
        asked += 1;
        message.respond(message.string() === `id.${call.id}` ? "running" : "no");
      },
    });
    await (await ledger()).put(`id.${call.id}`, startedBy("owner", call));
    publish(tool.name, call);
    await expect.poll(() => asked).toBeGreaterThan(2);
    expect(tool.calls.length).toBe(0);
    expect(worker.dataFlow().ran).toBe(0);
    owner.unsubscribe();
    await (await ledger()).final(`id.${call.id}`);
    expect(tool.calls.length).toBe(1);
  });

  test("runs beside no other that was lost as often: what kills workers takes no neighbours along", async () => {
    let [now, most] = [0, 0];
    const tool = again([
      async () => {
        now += 1;
        most = Math.max(most, now);
        await new Promise((resolve) => setTimeout(resolve, 20));
        now -= 1;
      },
    ]);
    await work([tool]);
    const book = await ledger();
    const calls = Array.from({ length: 6 }, () => ({ id: named("suspect"), name: tool.name }));
    for (const call of calls) await book.put(`id.${call.id}`, startedBy("gone", call, 2));
    for (const call of calls) publish(tool.name, call);
    for (const call of calls) expect((await book.final(`id.${call.id}`)).isError).toBe(false);
    expect(most).toBe(1);
  });

  test("is put aside after the last attempt, and can be sent on its way again", async () => {
    const tool = again([{ returns: "at last" }]);
    await work([tool], { config: { max_attempts: 3 } });
    const call = { id: named("poison"), name: tool.name, arguments: {} };
    await (await ledger()).put(`id.${call.id}`, startedBy("gone", call, 3));
    publish(tool.name, call);
    const { failure } = await (await ledger()).final(`id.${call.id}`);
    expect(failure).toMatchObject({ code: "TOOL_PANICKED" });
    expect(tool.calls.length).toBe(0);
    const letter = (await letters.list()).find((each) => each.tool === tool.name)!;
    expect(letter).toMatchObject({
      reason: "its worker was lost 3 times",
      origin: `tool.execute.${tool.name}`,
    });
    const renewed = await letters.retry(letter.seq);
    await expect.poll(async () => (await executor.resultOf(renewed!))?.value).toBe("at last");
    await expect(letters.show(letter.seq)).rejects.toThrow("no dead letter");
  });
});

test.each(["", "$KV.TOOL_LEDGER.desk.e1"])(
  "a dead letter from %j is not sent again: calls do not come from there",
  async (origin) => {
    const fields = headers();
    if (origin !== "") fields.set("Tool-Origin", origin);
    const answer = await wire.request("tool.dlq.stray", "{}", { headers: fields, timeout: HANG_MS });
    const { seq } = answer.json<{ seq: number }>();
    await expect(letters.retry(seq)).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining(`Dead letter ${seq} cannot be sent again`),
    });
    expect((await letters.show(seq)).body).toBe("{}");
    await letters.drop(seq);
  },
);

test("a worker that was given up cannot change the outcome", async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const tool = once([() => gate.then(() => "too late")]);
  const worker = await work([tool]);
  const call = { id: named("zombie"), name: tool.name };
  const book = await ledger();
  publish(tool.name, call);
  await expect.poll(() => tool.calls.length).toBe(1);
  const given: ToolResult = {
    callId: call.id,
    executionId: call.id,
    name: tool.name,
    isError: false,
    content: [{ type: "text", text: "the truth" }],
    decoded: { mode: "strict", degree: "exact", repairs: [] },
    attempts: 1,
    durationMs: 1,
  };
  const fingerprint = fingerprintOf({ ...call, arguments: {} });
  await book.put(`id.${call.id}`, { state: "final", fingerprint, result: given, at: 1 });
  release();
  await expect.poll(() => worker.dataFlow().late).toBe(1);
  expect((await book.final(`id.${call.id}`)).content).toEqual(given.content);
});

describe("a cancelled call", () => {
  test("that has not started never runs", async () => {
    const name = named("never");
    const first = await work([scriptedTool({ name })]);
    await first.stop();
    const controller = new AbortController();
    const result = executor.call({ id: "c", name, arguments: {} }, { signal: controller.signal });
    const manager = await jetstreamManager(wire);
    await expect.poll(async () => (await manager.streams.info("AGENT")).state.messages).toBe(1);
    controller.abort();
    expect((await result).failure).toMatchObject({ code: "TOOL_CANCELLED" });
    const tool = scriptedTool({ name });
    const worker = await work([tool]);
    await expect.poll(() => worker.dataFlow().received).toBe(1);
    await expect.poll(async () => (await manager.streams.info("AGENT")).state.messages).toBe(0);
    expect(tool.calls.length).toBe(0);
  });

  test("that runs is told, and answered as cancelled", async () => {
    const tool = scriptedTool({ name: named("hang"), script: [{ hangs: true }] });
    await work([tool]);
    const controller = new AbortController();
    const result = executor.call({ id: "c", name: tool.name, arguments: {} }, { signal: controller.signal });
    await expect.poll(() => tool.calls.length).toBe(1);
    controller.abort();
    expect((await result).failure?.code).toBe("TOOL_CANCELLED");
  });
});

describe("a call that another worker took over", () => {
  /** A worker that is slow between the claim of a call and its start, while somebody else ends it. */
  async function slowStart(end: ExecutionState | undefined) {
    const tool = once();
    const call = { id: named("slow"), name: tool.name };
    const book = await ledger();
    const worker = await work([tool], {
      hooks: {
        async beforeCall() {
          await expect.poll(async () => (await book.read(`id.${call.id}`))?.state).toBe("started");
          if (end !== undefined)
            await book.put(`id.${call.id}`, {
              ...end,
              fingerprint: fingerprintOf({ ...call, arguments: {} }),
            });
          await new Promise((resolve) => setTimeout(resolve, 200));
        },
      },
    });
    publish(tool.name, call);
    return { tool, worker, key: `id.${call.id}` };
  }

  test("does not start on one that was slow since its claim", async () => {
    const { tool, worker } = await slowStart(startedBy("another", { id: "", name: "" }, 2));
    await expect.poll(() => worker.dataFlow().late).toBe(1);
    expect(tool.calls.length).toBe(0);
  });

  test("starts on one that was slow and still has it", async () => {
    const { tool, worker, key } = await slowStart(undefined);
    expect((await (await ledger()).final(key)).isError).toBe(false);
    expect(tool.calls.length).toBe(1);
    expect(worker.dataFlow().late).toBe(0);
  });

  test("and that is cancelled there before it starts may have happened", async () => {
    const tool = again();
    const call = { id: named("earlier"), name: tool.name };
    await (await ledger()).put(`id.${call.id}`, startedBy("gone", call));
    await work([tool], {
      probe: (stage) => void (stage === "received" && wire.publish(`tool.cancel.id.${call.id}`)),
    });
    wire.subscribe("tool.worker.gone", {
      max: 1,
      // The cancellation has arrived by the time that the worker hears that its predecessor is gone.
      callback: (_error, message) => void setTimeout(() => message.respond("no"), 100),
    });
    publish(tool.name, call);
    const { failure, attempts } = await (await ledger()).final(`id.${call.id}`);
    expect(failure?.code).toBe("TOOL_CANCELLED");
    expect(failure?.message).toContain("it may have happened");
    expect(attempts).toBe(1);
    expect(tool.calls.length).toBe(0);
  });
});

test("what is not a call goes to the dead letters, and the worker goes on", async () => {
  const tool = scriptedTool({ name: named("sturdy") });
  const worker = await work([tool]);
  const before = (await letters.list()).length;
  const bad = [
    "not json",
    '{"broken\n',
    "[]",
    "null",
    "{}",
    JSON.stringify({ name: tool.name }),
    JSON.stringify({ id: 7, name: tool.name }),
    JSON.stringify({ call: "x", executionId: "e" }),
    JSON.stringify({ id: "x".repeat(1_000), name: tool.name }),
    JSON.stringify({ id: "c", name: "another_tool" }),
    JSON.stringify({ id: "c\n\r", name: "a\nb" }),
    `{"object":"no such object"}`,
    "[".repeat(50_000),
    `{"id":"c","name":"${tool.name}","name":"${tool.name}"}`,
    `{"id":"c","name":"${tool.name}","arguments":{"to":"a","to":"b"}}`,
    `{"id":"c","name":"${tool.name}","arguments":{"id":9007199254740993}}`,
    `{"id":"deep","name":"${tool.name}","arguments":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}`,
  ];
  for (const body of bad) publish(tool.name, body);
  wire.publish(`tool.execute.${tool.name}`, Uint8Array.of(255, 254, 0, 1));
  const call = { id: named("fine"), name: tool.name, arguments: { __proto__: null } };
  publish(tool.name, call);
  await (await ledger()).final(`id.${call.id}`);
  await expect
    .poll(async () => (await letters.list(1_000)).length)
    .toBeGreaterThanOrEqual(before + bad.length);
  expect(worker.health().healthy).toBe(true);
});

describe("a worker that stops", () => {
  test("is no sign of poison: a call outlives more restarts than it may lose workers", async () => {
    const hangs = { hangs: true } as const;
    const long = again([hangs, hangs, hangs, hangs, { returns: "done" }]);
    const config = { max_attempts: 2 };
    let worker = await work([long], { config });
    const result = executor.call({ id: "c", name: long.name, arguments: {} });
    for (let restart = 1; restart <= 4; restart++) {
      await expect.poll(() => long.calls.length).toBe(restart);
      const next = await work([long], { config });
      await worker.stop(0);
      worker = next;
    }
    expect((await result).value).toBe("done");
    expect((await letters.list()).map(({ tool: name }) => name)).not.toContain(long.name);
  });

  test("hands over what it did not begin, at once", async () => {
    const name = named("handed");
    const begun = Promise.withResolvers<string>();
    const held = scriptedTool({ name, script: [() => begun.promise] });
    const first = await work([held], { config: { concurrency: 2 } });
    const results = Array.from({ length: 8 }, (_, index) =>
      executor.call({ id: `c${index}`, name, arguments: { index } }),
    );
    await expect.poll(() => held.calls.length).toBe(2);
    await work([scriptedTool({ name, script: [() => "second"] })]);
    const stopped = first.stop();
    begun.resolve("first");
    await stopped;
    const values = (await Promise.all(results)).map(({ value }) => value);
    expect(values).toContain("second");
    expect(values.every((value) => value === "first" || value === "second")).toBe(true);
    expect(first.dataFlow().handedBack).toBe(0);
  });

  test("gives back what it cannot finish in time, or says that nobody knows", async () => {
    const [maySafely, mustNot] = [again([{ hangs: true }]), once([{ hangs: true }])];
    const worker = await work([maySafely, mustNot]);
    const results = [maySafely, mustNot].map(({ name }) => executor.call({ id: "c", name, arguments: {} }));
    await expect.poll(() => maySafely.calls.length + mustNot.calls.length).toBe(2);
    const fresh = scriptedTool({
      name: maySafely.name,
      safety: { sideEffects: "write", idempotent: true },
      script: [{ returns: "elsewhere" }],
    });
    await work([fresh]);
    await worker.stop(50);
    const [repeated, unknown] = await Promise.all(results);
    expect(repeated!.value).toBe("elsewhere");
    expect(unknown!.failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
  });

  test("can be started again", async () => {
    const tool = scriptedTool({ name: named("restart") });
    const worker = await work([tool]);
    const before = worker.id;
    await worker.stop();
    expect(worker.health()).toMatchObject({ state: "stopped", healthy: false });
    await worker.start();
    expect(worker.id).not.toBe(before);
    expect((await executor.call({ id: "c", name: tool.name, arguments: {} })).isError).toBe(false);
    expect(worker.health().healthy).toBe(true);
  });
});

test("progress comes in order, and none after the end", async () => {
  const name = named("steps");
  await work([
    tool({
      name,
      description: "Counts",
      input: { type: "object" },
      async *execute() {
        for (let step = 1; step <= 50; step++) yield step;
        return "done";
      },
    }),
  ]);
  const seen: unknown[] = [];
  const stop = executor.events.on((event) =>
    seen.push(event.type === "call.update" ? event.update.details : event.type),
  );
  await executor.call({ id: "c", name, arguments: {} });
  stop();
  expect(seen).toEqual(["call.start", ...Array.from({ length: 50 }, (_, index) => index + 1), "call.end"]);
});
