import { DiscardPolicy, jetstreamManager, RetentionPolicy } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { scriptedTool } from "@toolrig/core/testing";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type NatsProcess, startNats } from "../../../../scripts/start-nats.ts";
import { NatsExecutor } from "../caller/executor.ts";
import { consumerName, keyOf, readExecuteSubject, token } from "../wire/names.ts";
import { NatsWorker } from "../worker/worker.ts";
import type { FleetOptions } from "./setup.ts";

let server: NatsProcess;
let wire: NatsConnection;

beforeAll(async () => {
  server = await startNats();
  wire = await connect({ servers: server.url });
});

afterEach(async () => {
  const manager = await jetstreamManager(wire);
  for await (const { config } of manager.streams.list()) await manager.streams.delete(config.name);
});

afterAll(async () => {
  await wire.close();
  await server.close();
});

const open = (fleet: FleetOptions = {}) => NatsExecutor.connect({ nats: { servers: server.url }, fleet });

const wrong: [FleetOptions, string][] = [
  [{ stream: "a.b" }, 'stream must be a name of letters, digits, _ and -; got "a.b"'],
  [{ replicas: 0 }, "replicas must be a whole number of at least 1; got 0"],
  [{ ackWait: "10ms" }, 'ackWait must be at least 150ms; got "10ms"'],
  [{ journal: "CALLS" } as FleetOptions, 'Unknown option "journal" for fleet'],
];
test.each(wrong)("the settings %j are refused", async (fleet, says) => {
  await expect(open(fleet)).rejects.toThrow(says);
});

describe("what is on the server already is checked", () => {
  const problems = {
    "keeps calls after they ran": {
      stream: { subjects: ["tool.execute.>"], retention: RetentionPolicy.Limits, discard: DiscardPolicy.New },
      says: "its retention is limits and must be workqueue",
    },
    "captures other subjects": {
      stream: { subjects: ["other.>"], retention: RetentionPolicy.Workqueue, discard: DiscardPolicy.New },
      says: "captures other.> and not tool.execute.>",
    },
    "captures results too": {
      stream: { subjects: ["tool.>"], retention: RetentionPolicy.Workqueue, discard: DiscardPolicy.New },
      says: "it must capture tool.execute.>",
    },
    "drops calls when it is full": {
      stream: {
        subjects: ["tool.execute.>"],
        retention: RetentionPolicy.Workqueue,
        discard: DiscardPolicy.Old,
      },
      says: "discards old messages",
    },
    "keeps calls longer than their outcomes": {
      stream: {
        subjects: ["tool.execute.>"],
        retention: RetentionPolicy.Workqueue,
        discard: DiscardPolicy.New,
      },
      says: "a withdrawn call could still run; shorten that (nats stream edit AGENT --max-age=12h)",
    },
  };
  test.each(Object.entries(problems))("a stream that %s is refused", async (_title, { stream, says }) => {
    await (await jetstreamManager(wire)).streams.add({ name: "AGENT", ...stream });
    await expect(open()).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining(says),
    });
  });

  test("a stream of other subjects in the way is named", async () => {
    await (await jetstreamManager(wire)).streams.add({ name: "OTHER", subjects: ["tool.execute.x"] });
    await expect(open()).rejects.toThrow(/AGENT cannot be used: .*subjects overlap/);
  });

  test("a ledger that the server does not republish is refused", async () => {
    await new Kvm(wire).create("TOOL_LEDGER", { history: 1, allow_direct: true });
    await expect(open()).rejects.toThrow("does not republish its entries to tool.result.>");
  });

  test("streams whose messages can delete others are changed", async () => {
    await (await open()).close();
    const { streams } = await jetstreamManager(wire);
    const names = ["AGENT", "AGENT_DLQ", "KV_TOOL_LEDGER", "KV_AGENT_OBJECTS", "KV_AGENT_WORKERS"];
    const rollups = () =>
      Promise.all(names.map(async (name) => (await streams.info(name)).config.allow_rollup_hdrs));
    expect(await rollups()).toEqual(names.map(() => false));
    for (const name of names) await streams.update(name, { allow_rollup_hdrs: true });
    await (await open()).close();
    expect(await rollups()).toEqual(names.map(() => false));
  });

  test("a stream whose messages can make the server write others is refused", async () => {
    const { streams } = await jetstreamManager(wire);
    const stream = { name: "AGENT_DLQ", subjects: ["tool.dlq.>"], allow_msg_schedules: true };
    const { config } = await streams.add(stream);
    // Older servers know no such thing.
    if (config.allow_msg_schedules !== true) return;
    await expect(open()).rejects.toThrow("AGENT_DLQ cannot be used: its messages can make the server write");
  });

  test("a good one is used as it is", async () => {
    await (await open()).close();
    await (await open({ maxQueued: 5 })).close();
    const { config } = await (await jetstreamManager(wire)).streams.info("AGENT");
    expect(config.max_msgs_per_subject).toBe(100_000);
  });
});

describe("how long the ledger remembers", () => {
  const nats = () => ({ servers: server.url });

  test("is longer than a call waits", async () => {
    const patient = NatsExecutor.connect({ nats: nats(), fleet: { ledgerTtl: "60s" }, queueTimeout: "31s" });
    await expect(patient).rejects.toMatchObject({
      code: "OPTION_INVALID",
      message: expect.stringContaining("queueTimeout must be at most 30s"),
    });
  });

  test("is longer than a tool takes, whatever a worker was told: what the server keeps counts", async () => {
    await (
      await NatsExecutor.connect({ nats: nats(), fleet: { ledgerTtl: "5s" }, queueTimeout: "1s" })
    ).close();
    const tools = [
      scriptedTool({ name: "quick", more: { timeout: "1s", retry: { attempts: 1 } } }),
      scriptedTool({ name: "slow", safety: { sideEffects: "write" } }),
    ];
    const worker = new NatsWorker({ nats: nats(), tools });
    await expect(worker.start()).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringMatching(
        /^slow cannot run on this fleet: a call of it may take 1m, and the ledger/,
      ),
    });
    expect(worker.health().state).toBe("stopped");
  });

  test("is longer than the queue holds what was withdrawn", async () => {
    const fleet = { ledgerTtl: "2s", ackWait: "300ms" } as const;
    const executor = await NatsExecutor.connect({ nats: nats(), fleet, queueTimeout: "500ms" });
    const call = { id: "c", name: "withdrawn", arguments: {} };
    const controller = new AbortController();
    const cancelled = executor.call(call, { signal: controller.signal });
    const { failure } = await executor.call(call);
    controller.abort();
    expect(failure?.message).toContain("will not run");
    await cancelled;
    await executor.close();
    const bucket = await new Kvm(wire).open("TOOL_LEDGER");
    await expect.poll(async () => (await bucket.status()).values).toBe(0);
    const late = scriptedTool({ name: "withdrawn", more: { timeout: "1s", retry: { attempts: 1 } } });
    const worker = new NatsWorker({ nats: nats(), tools: [late], fleet });
    await worker.start();
    const after = await NatsExecutor.connect({ nats: nats(), fleet, queueTimeout: "1s" });
    expect((await after.call({ ...call, arguments: { after: true } })).isError).toBe(false);
    expect(late.calls).toEqual([{ after: true }]);
    await after.close();
    await worker.stop();
  });
});

test("no server is an error that says where it was looked for", async () => {
  const nats = { servers: "nats://127.0.0.1:1", reconnect: false };
  await expect(NatsExecutor.connect({ nats })).rejects.toThrow("127.0.0.1:1");
});

test("a full queue is a rate limit with a time to wait", async () => {
  const executor = await open({ maxQueued: 2 });
  const calls = Array.from({ length: 3 }, (_, index) =>
    executor.call({ id: `c${index}`, name: "nobody", arguments: {} }),
  );
  const refused = await Promise.race(calls);
  expect(refused.failure).toMatchObject({
    code: "TOOL_RATE_LIMITED",
    retryable: true,
    details: { retryAfterMs: 1_000 },
  });
  await executor.close();
});

describe("names", () => {
  test("a tool's consumer is called after it", () => {
    expect(consumerName("file_read")).toBe("tool-exec-file-read");
    expect(consumerName("graph.query")).toBe("tool-exec-graph-query");
    expect(consumerName("file_read", 2, "test-a.b")).toBe("tool-exec-file-read-v2-test-a-b");
  });

  test("no two texts share a token or a key", () => {
    const texts = ["a.b", "a_b", "a b", "a*b", "a>b", "a=2eb", "A.b", "é", "日本"];
    expect(new Set(texts.map(token)).size).toBe(texts.length);
    for (const text of texts) expect(token(text)).toMatch(/^[A-Za-z0-9_=-]+$/);
    expect(new Set([...texts, "id.a=2eb"].map((text) => keyOf(text))).size).toBe(texts.length + 1);
    expect(keyOf("x.y", "me")).not.toBe(keyOf("x.y"));
  });

  test("a subject says which tool and version its calls are for", () => {
    expect(readExecuteSubject("tool.execute.a")).toEqual({ toolToken: "a", urgent: false });
    expect(readExecuteSubject("tool.execute.high")).toEqual({ toolToken: "high", urgent: false });
    const whole = { toolToken: "a", major: 2, urgent: true, account: "desk" };
    expect(readExecuteSubject("tool.execute.a.v2.high.from.desk")).toEqual(whole);
    for (const subject of ["tool.execute.a.b", "tool.execute.a.from", "tool.execute.a.from.b.c", "a.b"])
      expect(readExecuteSubject(subject)).toBeUndefined();
  });

  test("two tools whose names look alike have consumers of their own, also on different workers", async () => {
    const tools = ["x.y", "x_y"].map((name) => scriptedTool({ name, script: [{ returns: name }] }));
    const workers = tools.map(
      (tool) =>
        new NatsWorker({
          nats: { servers: server.url },
          tools: [tool],
          config: { consumer_name_suffix: "t" },
        }),
    );
    for (const worker of workers) await worker.start();
    const executor = await open();
    const values = await Promise.all(
      ["x.y", "x_y", "x.y"].map(
        async (name) => (await executor.call({ id: "c", name, arguments: {} })).value,
      ),
    );
    expect(values).toEqual(["x.y", "x_y", "x.y"]);
    const names: string[] = [];
    for await (const { name } of (await jetstreamManager(wire)).consumers.list("AGENT")) names.push(name);
    expect(names.sort()[0]).toMatch(/^tool-exec-x-y-[0-9a-f]{8}-t$/);
    expect(names[1]).toBe("tool-exec-x-y-t");
    await executor.close();
    for (const worker of workers) await worker.stop();
  });
});
