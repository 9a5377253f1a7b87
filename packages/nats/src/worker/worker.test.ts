import { generateKeyPairSync } from "node:crypto";
import { jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { connect, type NatsConnection, nanos } from "@nats-io/transport-node";
import { AgentLoop, PlanExecutor, scriptedEngine } from "@toolrig/agent";
import { type AnyTool, Registry, registerTool, tool } from "@toolrig/core";
import { DefinitionList, globalTools } from "@toolrig/core/kit";
import { scriptedTool } from "@toolrig/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HANG_MS } from "../../../../scripts/hang-limit.ts";
import { type NatsProcess, startNats } from "../../../../scripts/start-nats.ts";
import { NatsExecutor } from "../caller/executor.ts";
import type { NatsExecutorOptions, RemoteCallOptions } from "../caller/options.ts";
import { Fleet, type FleetTool } from "../fleet/fleet.ts";
import { type SignedApproval, signApproval } from "../wire/signed-approval.ts";
import { defaultWorkerConfig, type WorkerConfig } from "./config.ts";
import type { NatsWorkerOptions } from "./options.ts";
import { NatsWorker } from "./worker.ts";

const fleet = { ackWait: "500ms" } as const;
let server: NatsProcess;
let wire: NatsConnection;
let executor: NatsExecutor;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = await startNats();
  wire = await connect({ servers: server.url });
  executor = await caller();
});

afterAll(async () => {
  await Promise.all(closing.map((close) => close()));
  await wire.close();
  await server.close();
});

async function caller(more: Partial<NatsExecutorOptions> = {}): Promise<NatsExecutor> {
  const made = await NatsExecutor.connect({ nats: { servers: server.url }, fleet, ...more });
  closing.push(() => made.close());
  return made;
}

async function work(tools: readonly AnyTool[], more: Partial<NatsWorkerOptions> = {}): Promise<NatsWorker> {
  const worker = new NatsWorker({ nats: { servers: server.url }, fleet, tools, ...more });
  await worker.start();
  closing.push(() => worker.stop("1s"));
  return worker;
}

/** How many calls of a queue are on the server. */
async function queued(queue: string): Promise<number> {
  const subject = `tool.execute.${queue}`;
  const { streams } = await jetstreamManager(wire);
  const { state } = await streams.info("AGENT", { subjects_filter: subject });
  return state.subjects?.[subject] ?? 0;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Counts how many of its calls run at once, in all workers. */
function counting(name: string, more: object = {}, ms = 10) {
  const seen = { now: 0, most: 0, starts: [] as number[] };
  const counted = tool({
    name,
    description: "Counts how many run at once",
    input: { type: "object" },
    safety: { sideEffects: "none" },
    ...more,
    async execute() {
      seen.now += 1;
      seen.most = Math.max(seen.most, seen.now);
      seen.starts.push(performance.now());
      await pause(ms);
      seen.now -= 1;
      return "ok";
    },
  });
  return { counted, seen };
}

const callMany = (name: string, count: number, options: RemoteCallOptions = {}) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      executor.call({ id: `c${index}`, name, arguments: {} }, options),
    ),
  );

describe("configuration", () => {
  const wrong: [WorkerConfig, string][] = [
    [{ timeout: "soon" } as object, "timeout"],
    [{ concurrency: 0 }, "concurrency must be a whole number of at least 1; got 0"],
    [{ alowed_tools: [] } as WorkerConfig, 'Unknown option "alowed_tools"'],
    [{ tools: { x: { rate: { limit: 0, per: "1s" } } } }, "tools.x.rate.limit"],
    [{ tools: { x: { speed: 1 } as object } }, 'Unknown option "speed" for tools.x'],
    [{ stream_name: "a.b" }, "stream"],
    [{ ports: { inputs: [{ name: "in", subject: "tool.result.>" }] } }, "ports.inputs[0].subject"],
    [{ ports: { outputs: [{ name: "out", subject: "my.results" }] } }, 'such as "my.outputs.*"'],
  ];
  test.each(wrong)("%j is refused", async (config, says) => {
    const make = async () => {
      await new NatsWorker({ nats: { servers: server.url }, tools: [], config }).start();
    };
    await expect(make()).rejects.toThrow(says);
  });

  test("a worker says what it is", async () => {
    const worker = new NatsWorker({ nats: { servers: server.url }, tools: [] });
    const version = expect.stringMatching(/^\d+\.\d+\.\d+/);
    expect(worker.meta()).toMatchObject({ name: "toolrig-worker", type: "processor", version });
    expect(worker.configSchema().properties).toHaveProperty("allowed_tools");
    expect(worker.inputPorts()).toMatchObject([{ name: "tool.execute", subject: "tool.execute.>" }]);
    expect(worker.outputPorts()).toMatchObject([{ name: "tool.result" }]);
    expect(worker.health()).toMatchObject({ state: "new", healthy: false });
    const ports = { inputs: [{ name: "in", subject: "a.>" }] };
    const configured = new NatsWorker({ nats: {}, tools: [], config: { ports } });
    expect(configured.inputPorts().map(({ subject }) => subject)).toEqual(["tool.execute.>", "a.>"]);
    expect(configured.outputPorts()).toEqual(worker.outputPorts());
  });

  test("a configuration that another program wrote is taken: null is absent, durations have parts", () => {
    const config = JSON.parse(
      '{"ports":null,"stream_name":"AGENT","consumer_name_suffix":"","timeout":"1m30s","allowed_tools":null}',
    ) as WorkerConfig;
    const worker = new NatsWorker({ nats: {}, tools: [], config });
    expect(worker.inputPorts()).toMatchObject([{ subject: "tool.execute.>" }]);
  });

  test("ports are where calls come in and plain results go out", async () => {
    const ports = {
      inputs: [{ name: "in", subject: "my.calls.>" }],
      outputs: [{ name: "out", subject: "my.results.*" }],
    };
    await work([scriptedTool({ name: "by_port", script: [{ returns: "came" }] })], { config: { ports } });
    const heard: [string, unknown][] = [];
    const subscriptions = ["my.results.*", "tool.result.port_call"].map((subject) =>
      wire.subscribe(subject, {
        callback: (_error, message) => void heard.push([message.subject, message.json()]),
      }),
    );
    await wire.flush();
    const call = { id: "port_call", name: "by_port", arguments: { n: 1 } };
    const ack = await wire.request("my.calls.by_port", JSON.stringify(call), { timeout: HANG_MS });
    expect(ack.json()).toMatchObject({ stream: "AGENT" });
    const result = { callId: "port_call", name: "by_port", isError: false, value: "came" };
    await expect.poll(() => heard.length).toBe(2);
    expect(heard.sort()).toMatchObject([
      ["my.results.port_call", result],
      ["tool.result.port_call", result],
    ]);
    // The same id with other arguments: the first result stands, and this one is told why it did not run.
    await wire.request("my.calls.by_port", JSON.stringify({ ...call, arguments: { n: 2 } }), {
      timeout: HANG_MS,
    });
    await expect.poll(() => heard.length).toBe(4);
    expect(heard[3]?.[1]).toMatchObject({ callId: "port_call", failure: { code: "TOOL_BLOCKED" } });
    for (const subscription of subscriptions) subscription.unsubscribe();
  });

  test("limits of single tools go over what the tools declare", async () => {
    const hang = scriptedTool({ name: "limited_hang", script: [{ hangs: true }] });
    await work([hang], { config: { timeout: "60s", tools: { limited_hang: { timeout: "50ms" } } } });
    const { failure } = await executor.call({ id: "c", name: "limited_hang", arguments: {} });
    expect(failure?.code).toBe("TOOL_TIMEOUT");
  });

  test("a tool that is added while the worker runs is taken up, and one that is removed is left alone", async () => {
    const registry = new Registry([scriptedTool({ name: "first_tool" })]);
    const worker = new NatsWorker({ nats: { servers: server.url }, fleet, tools: registry });
    await worker.start();
    closing.push(() => worker.stop("1s"));
    registry.add(scriptedTool({ name: "added_tool" }));
    const view = await executor.fleet();
    await expect.poll(() => view.offersOf("added_tool").length).toBe(1);
    expect((await executor.call({ id: "c", name: "added_tool", arguments: {} })).isError).toBe(false);
    registry.remove("first_tool");
    await expect.poll(() => view.offersOf("first_tool").length).toBe(0);
  });

  test("consumers go when they are told to", async () => {
    const manager = await jetstreamManager(wire);
    const worker = await work([scriptedTool({ name: "leaves_nothing" })], {
      config: { delete_consumer_on_stop: true },
    });
    expect((await manager.consumers.info("AGENT", "tool-exec-leaves-nothing")).name).toBeDefined();
    await worker.stop();
    await expect(manager.consumers.info("AGENT", "tool-exec-leaves-nothing")).rejects.toThrow("not found");
  });

  test("workers with a suffix of their own for each test serve one tool after the other on one server", async () => {
    for (const test of ["test-TestA", "test-TestB", "test-TestA"]) {
      const tool = scriptedTool({ name: "mock_tool" });
      const config = { stream_name: "AGENT", consumer_name_suffix: test };
      const worker = await work([tool], { config });
      expect((await executor.call({ id: "c", name: "mock_tool", arguments: {} })).isError).toBe(false);
      expect(tool.calls).toHaveLength(1);
      await worker.stop();
    }
  });

  test("two names for one queue are refused, saying what is wrong", async () => {
    await work([scriptedTool({ name: "one_queue" })]);
    const other = new NatsWorker({
      nats: { servers: server.url },
      fleet,
      tools: [scriptedTool({ name: "one_queue" })],
      config: { consumer_name_suffix: "other" },
    });
    await expect(other.start()).rejects.toThrow("the same consumer_name_suffix");
    expect(other.health().connected).toBe(false);
  });

  test("a worker goes on when another deleted its consumer", async () => {
    const steady = scriptedTool({ name: "steady_tool" });
    await work([steady]);
    await (await jetstreamManager(wire)).consumers.delete("AGENT", "tool-exec-steady-tool");
    expect((await executor.call({ id: "c", name: "steady_tool", arguments: {} })).isError).toBe(false);
  });
});

describe("limits across the fleet", () => {
  test("no more calls of a tool run at once than it says, on however many workers", async () => {
    const { counted, seen } = counting("three_at_once", { concurrency: 3 });
    await work([counted]);
    await work([counted]);
    const results = await callMany("three_at_once", 40);
    expect(results.every(({ isError }) => !isError)).toBe(true);
    expect(seen.most).toBe(3);
  });

  test("no more run at once in all the queues of a tool together", async () => {
    const { counted, seen } = counting("two_in_all", { concurrency: 2, version: "1.0.0" });
    await work([counted], { config: { priorities: true } });
    await work([counted], { config: { priorities: true } });
    await expect.poll(async () => (await executor.fleet()).offersOf("two_in_all").length).toBe(2);
    const bare = Array.from({ length: 5 }, (_, index) => `two_in_all_bare_${index}`);
    for (const id of bare)
      wire.publish("tool.execute.two_in_all", JSON.stringify({ id, name: "two_in_all", arguments: {} }));
    const lanes = (["high", "normal", "low"] as const).map((priority) =>
      callMany("two_in_all", 10, { priority }),
    );
    const results = (await Promise.all(lanes)).flat();
    for (const id of bare) await expect.poll(async () => (await executor.resultOf(id))?.isError).toBe(false);
    expect(results.every(({ isError }) => !isError)).toBe(true);
    expect(seen.starts.length).toBe(35);
    expect(seen.most).toBe(2);
  });

  test("a long call keeps its place", async () => {
    const { counted, seen } = counting("long_alone", { concurrency: 1, version: "1.0.0" }, 700);
    await work([counted]);
    await work([counted]);
    wire.publish("tool.execute.long_alone", JSON.stringify({ id: "long_bare", name: "long_alone" }));
    await callMany("long_alone", 2);
    await expect.poll(async () => (await executor.resultOf("long_bare"))?.isError).toBe(false);
    expect([seen.starts.length, seen.most]).toEqual([3, 1]);
  });

  test("what a lost worker held of a tool's concurrency comes back", async () => {
    const { counted } = counting("one_in_all", { concurrency: 1, version: "1.0.0" });
    await work([counted]);
    await wire.request("tool.slot.one_in_all.0", "", { timeout: HANG_MS });
    const held = Date.now();
    expect((await callMany("one_in_all", 2)).every(({ isError }) => !isError)).toBe(true);
    expect(Date.now() - held).toBeGreaterThan(200);
  });

  test("a limit that changes is brought up to date", async () => {
    const first = await work([counting("grows", { concurrency: 1 }).counted]);
    await first.stop();
    const { counted, seen } = counting("grows", { concurrency: 4 });
    await work([counted]);
    await callMany("grows", 20);
    expect(seen.most).toBe(4);
  });

  test("calls start no faster than the rate, and none is refused", async () => {
    const { counted, seen } = counting("ten_a_second", { rate: { limit: 10, per: "500ms" } });
    await work([counted]);
    await work([counted]);
    const results = await callMany("ten_a_second", 25);
    expect(results.every(({ isError }) => !isError)).toBe(true);
    const starts = seen.starts.sort((a, b) => a - b);
    // Ten tokens a window, so the eleventh start is at least a window after the first, give or take how long a start takes.
    expect(starts[20]! - starts[0]!).toBeGreaterThan(800);
  });

  test.each([
    { per: "400ms", keptMs: 420 },
    { per: "1s", keptMs: 1_040 },
  ])("the server keeps a token longer than $per, as starts may be late", async ({ per, keptMs }) => {
    await work([counting(`kept_${per}`, { rate: { limit: 10, per } }).counted]);
    const { streams } = await jetstreamManager(wire);
    const { config } = await streams.info(await streams.find(`tool.rate.kept_${per}`));
    expect(config.max_age).toBe(nanos(keptMs));
  });

  test("calls that were cancelled while they waited use up nothing of the rate", async () => {
    const name = "one_in_two_seconds";
    const { counted, seen } = counting(name, { rate: { limit: 1, per: "2s" } });
    const worker = await work([counted]);
    const others = await Promise.all(Array.from({ length: 3 }, () => caller()));
    for (const each of others)
      await expect.poll(async () => (await each.fleet()).offersOf(name).length).toBe(1);
    await executor.call({ id: "first", name, arguments: {} });
    const abort = new AbortController();
    const waiting = others.map((each) =>
      each.call({ id: "c", name, arguments: {} }, { signal: abort.signal }),
    );
    await expect.poll(() => worker.dataFlow().inFlight).toBe(3);
    abort.abort();
    const codes = (await Promise.all(waiting)).map(({ failure }) => failure?.code);
    expect(codes).toEqual(["TOOL_CANCELLED", "TOOL_CANCELLED", "TOOL_CANCELLED"]);
    expect((await executor.call({ id: "last", name, arguments: {} })).value).toBe("ok");
    const { streams } = await jetstreamManager(wire);
    const { state } = await streams.info(await streams.find(`tool.rate.${name}`));
    expect({ starts: seen.starts.length, tokens: state.last_seq }).toEqual({ starts: 2, tokens: 2 });
  });

  test("a call of high priority waits for the next token of a rate, not for those before it in the line", async () => {
    const order: string[] = [];
    const rated = tool({
      name: "rated_lanes",
      description: "Notes the order",
      input: { type: "object", properties: { who: { type: "string" } } },
      rate: { limit: 2, per: "1s" },
      execute: ({ who }) => void order.push(who as string),
    });
    await work([rated], { config: { priorities: true } });
    const callers = await Promise.all(Array.from({ length: 6 }, () => caller()));
    const call = (of: NatsExecutor, who: string, priority: "high" | "normal") =>
      of.call({ id: who, name: "rated_lanes", arguments: { who } }, { priority });
    for (const each of callers)
      await expect.poll(async () => (await each.fleet()).offersOf("rated_lanes").length).toBe(1);
    const many = callers.flatMap((each, index) => [
      call(each, `a${index}`, "normal"),
      call(each, `b${index}`, "normal"),
    ]);
    await expect.poll(() => order.length).toBeGreaterThan(0);
    const urgent = call(executor, "urgent", "high");
    await expect
      .poll(async () => order.includes("urgent") || (await queued("rated_lanes.high")) > 0)
      .toBe(true);
    const before = order.length;
    await urgent;
    // At most those that have their token, or are about to take it.
    expect(order.indexOf("urgent") - before).toBeLessThan(4);
    await Promise.all(many);
  });

  test("a call of high priority does not wait behind others", async () => {
    const order: string[] = [];
    const all = Promise.withResolvers<void>();
    const lane = tool({
      name: "in_lanes",
      description: "Notes the order",
      input: { type: "object", properties: { who: { type: "string" } } },
      async execute({ who }) {
        order.push(who as string);
        await all.promise;
      },
    });
    await work([lane], { config: { concurrency: 1, priorities: true } });
    const call = (who: string, priority: "high" | "normal" | "low") =>
      executor.call({ id: who, name: "in_lanes", arguments: { who } }, { priority });
    await expect.poll(async () => (await executor.fleet()).offersOf("in_lanes").length).toBe(1);
    const many = Array.from({ length: 20 }, (_, index) => call(`n${index}`, "normal"));
    await expect.poll(() => queued("in_lanes")).toBeGreaterThan(18);
    const urgent = call("urgent", "high");
    await expect.poll(() => queued("in_lanes.high")).toBe(1);
    all.resolve();
    await urgent;
    expect(order.indexOf("urgent")).toBeLessThan(5);
    await Promise.all(many);
  });
});

test("a worker whose tool keeps failing leaves its calls to others, and says so", async () => {
  const name = "breaks_here";
  const broken = scriptedTool({ name, script: [{ throws: new Error("disk is gone") }] });
  const worker = await work([broken], { config: { breaker_failures: 3, breaker_cooldown: "2s" } });
  const callers = [executor, await caller({ caller: "another" })];
  const view = await executor.fleet();
  const codes = async (of: NatsExecutor) => (await of.call({ id: "c", name, arguments: {} })).failure;
  for (const each of callers)
    for (let index = 0; index < 3; index++) expect((await codes(each))?.code).toBe("TOOL_EXECUTION_FAILED");
  expect(worker.health().resting).toMatchObject([{ tool: name }]);
  await expect.poll(() => view.offersOf(name)[0]?.available).toBe(false);
  expect(await codes(executor)).toMatchObject({
    code: "TOOL_UNAVAILABLE",
    message: expect.stringContaining("failed 3 times in a row"),
  });
  const healthy = scriptedTool({ name, script: [{ returns: "fine" }] });
  const other = await work([healthy]);
  await expect.poll(() => view.offersOf(name).length).toBe(2);
  expect((await executor.call({ id: "c", name, arguments: {} })).value).toBe("fine");
  await other.stop();
  await expect.poll(() => view.offersOf(name)[0]?.available).toBe(true);
  expect((await codes(executor))?.code).toBe("TOOL_EXECUTION_FAILED");
  expect(worker.health().resting).toMatchObject([{ tool: name }]);
});

test("a caller whose calls make a tool fail keeps it from nobody else", async () => {
  const name = "fails_on_demand";
  const fails = (args: unknown) => {
    if ("bad" in (args as object)) throw new Error("bad arguments");
    return "fine";
  };
  await work([scriptedTool({ name, script: [fails] })], {
    config: { breaker_failures: 3, breaker_cooldown: "60s" },
  });
  const bad = await caller({ caller: "bad" });
  const codes: (string | undefined)[] = [];
  for (let index = 0; index < 5; index++)
    codes.push((await bad.call({ id: "c", name, arguments: { bad: true } })).failure?.code);
  const [failed, refused] = ["TOOL_EXECUTION_FAILED", "TOOL_UNAVAILABLE"];
  expect(codes).toEqual([failed, failed, failed, refused, refused]);
  expect((await executor.call({ id: "c", name, arguments: {} })).value).toBe("fine");
});

describe("tools of the whole process", () => {
  const name = "registered_for_all";
  const shared = scriptedTool({ name, script: [{ returns: "global" }] });
  const own = scriptedTool({ name: "own_tool", script: [{ returns: "own" }] });

  test("are offered beside the worker's own, which come first, unless it is told not to", async () => {
    if (globalTools.get(name) === undefined) registerTool(shared);
    const offered = (worker: NatsWorker) => worker.tools.tools().length;
    const options = { nats: { servers: server.url }, tools: [own] };
    expect(offered(new NatsWorker(options))).toBe(1 + globalTools.tools().length);
    expect(offered(new NatsWorker({ ...options, globalTools: false }))).toBe(1);
    const shadowing = new NatsWorker({ ...options, tools: [scriptedTool({ name })] });
    expect(offered(shadowing)).toBe(globalTools.tools().length);
    globalTools.remove(name);
  });
});

test("the default configuration is one that a worker takes", () => {
  expect(defaultWorkerConfig()).toMatchObject({ stream_name: "AGENT", concurrency: 16, timeout: "60s" });
  expect(
    new NatsWorker({ nats: { servers: server.url }, config: defaultWorkerConfig() }).health().state,
  ).toBe("new");
});

describe("discovery", () => {
  test("of several versions the newest is listed first, as by every source", async () => {
    const versioned = (version: string) => scriptedTool({ name: "grown_tool", more: { version } });
    await work([versioned("1.0.0"), versioned("10.0.0"), versioned("2.0.0")]);
    const source = await executor.fleet();
    const versions = () =>
      source.tools().flatMap(({ name, version }) => (name === "grown_tool" ? [version] : []));
    await expect.poll(versions).toEqual(["10.0.0", "2.0.0", "1.0.0"]);
    const told = new DefinitionList(source).current().find(({ name }) => name === "grown_tool");
    expect(told?.version).toBe("10.0.0");
  });

  test("a source of tools tells title and provider as the worker has them", async () => {
    const titled = scriptedTool({ name: "titled_tool", more: { label: "A title" } });
    const registry = new Registry().add(titled, { provider: "vault" });
    const worker = new NatsWorker({ nats: { servers: server.url }, fleet, tools: registry });
    await worker.start();
    closing.push(() => worker.stop("1s"));
    const source = await executor.fleet();
    await expect.poll(() => source.get("titled_tool")?.definition).toEqual(titled.definition);
    expect(source.providerOf(source.get("titled_tool")!)).toBe("vault");
  });

  test("tool.list answers what the union of live workers offers", async () => {
    const described = (version: string) =>
      scriptedTool({ name: "listed_tool", more: { version, description: "Shown in lists" } });
    await work([described("1.0.0")]);
    await work([described("1.1.0")]);
    const hidden = tool({
      name: "listed_hidden",
      description: "Cannot run",
      input: { type: "object" },
      available: () => "no key",
      execute: () => 1,
    });
    const third = await work([hidden]);
    const ask = async () => {
      const { tools } = (await wire.request("tool.list", "", { timeout: HANG_MS })).json<{
        tools: FleetTool[];
      }>();
      return tools.filter(({ name }) => name.startsWith("listed"));
    };
    await expect.poll(async () => (await ask()).length).toBe(2);
    expect(await ask()).toMatchObject([
      { name: "listed_hidden", available: false, reason: "no key", workers: 1 },
      {
        name: "listed_tool",
        versions: ["1.1.0", "1.0.0"],
        description: "Shown in lists",
        provider: "local",
        available: true,
        workers: 2,
      },
    ]);
    await third.stop();
    await expect.poll(async () => (await ask()).length).toBe(1);
  });

  test("whoever only watches sees workers and queues", async () => {
    const worker = await work([scriptedTool({ name: "watched_tool", script: [{ hangs: true }] })], {
      config: { concurrency: 1 },
    });
    const watching = await Fleet.connect({ nats: { servers: server.url }, fleet });
    expect(watching.workers().map(({ id }) => id)).toContain(worker.id);
    const controller = new AbortController();
    const calls = ["a", "b", "c"].map((id) =>
      executor.call({ id, name: "watched_tool", arguments: {} }, { signal: controller.signal }),
    );
    const depth = async () =>
      (await watching.queues()).find(({ subject }) => subject === "tool.execute.watched_tool");
    await expect.poll(depth).toMatchObject({ consumer: "tool-exec-watched-tool", waiting: 2, running: 1 });
    controller.abort();
    await Promise.all(calls);
    watching.close();
  });

  test("a loop's tools can be the fleet, and its calls run there", async () => {
    const add = tool({
      name: "add_numbers",
      description: "Adds",
      input: {
        type: "object",
        properties: { a: { type: "number" }, b: { type: "number" } },
        required: ["a", "b"],
      },
      safety: { sideEffects: "none" },
      execute: ({ a, b }) => (a as number) + (b as number),
    });
    const worker = await work([add]);
    const tools = await executor.fleet();
    await expect.poll(() => tools.get("add_numbers") !== undefined).toBe(true);
    expect(tools.get("add_numbers")?.definition.inputSchema).toMatchObject({ required: ["a", "b"] });
    const loop = new AgentLoop({
      engine: scriptedEngine([
        { calls: [{ name: "add_numbers", arguments: { a: 2, b: 3 } }] },
        "It is done.",
      ]),
      tools,
      executor,
    });
    const outcome = await loop.run("what is 2 + 3?").outcome;
    expect(JSON.stringify(outcome)).toContain('"5"');
    expect(worker.dataFlow().ran).toBe(1);
  });

  test("a plan runs across workers, each step after what it needs", async () => {
    const step = (name: string, run: (args: Record<string, number>) => number) =>
      scriptedTool({ name, script: [(args) => run(args as Record<string, number>)] });
    const twice = await work([step("plan_twice", ({ n }) => n! * 2)]);
    const sum = await work([step("plan_sum", ({ a, b }) => a! + b!)]);
    const tools = await executor.fleet();
    await expect
      .poll(() => ["plan_twice", "plan_sum"].every((name) => tools.get(name) !== undefined))
      .toBe(true);
    const outcome = await new PlanExecutor({ tools, executor }).run({
      steps: [
        {
          name: "sum",
          kind: "tool",
          tool: "plan_sum",
          input: { a: { $from: "left" }, b: { $from: "right" } },
        },
        { name: "left", kind: "tool", tool: "plan_twice", input: { n: 3 } },
        { name: "right", kind: "tool", tool: "plan_twice", input: { n: 4 } },
      ],
    }).outcome;
    expect(outcome.outputs).toMatchObject({ sum: 14 });
    expect([twice.dataFlow().ran, sum.dataFlow().ran]).toEqual([2, 1]);
  });
});

describe("approval", () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519", {
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const other = generateKeyPairSync("ed25519", {
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const pay = scriptedTool({
    name: "pay_bill",
    safety: { sideEffects: "external" },
    script: [{ returns: "paid" }],
    more: { approval: true },
  });
  const call = { id: "c", name: "pay_bill", arguments: { euros: 5 } };

  const principal = { id: "ada", team: "finance" };
  const { definition } = pay;
  let id = 0;
  const rejected = "TOOL_APPROVAL_REJECTED";

  /** Sends a call with what was signed for it, or for something that differs in one field. */
  async function attempt({ signed = {}, key = privateKey, sent = {}, asked = call }: Attempt = {}) {
    id += 1;
    const executionId = `exec_pay.${id}`;
    const request = { executionId, call, principal, definition, by: { id: "ada" }, ...signed };
    const approval = { ...signApproval(key, request), ...sent };
    const { failure, value } = await executor.call(asked, { executionId, approval, principal });
    return failure?.code ?? value;
  }

  interface Attempt {
    signed?: Partial<Parameters<typeof signApproval>[1]>;
    key?: string;
    sent?: Partial<SignedApproval>;
    asked?: typeof call;
  }

  const changes: [what: string, change: Attempt][] = [
    ["another key", { key: other.privateKey }],
    ["another execution", { signed: { executionId: "exec_pay.x" } }],
    ["another caller", { signed: { caller: "site" } }],
    ["other arguments", { asked: { ...call, arguments: { euros: 5_000 } } }],
    ["another principal", { signed: { principal: { id: "eve", team: "finance" } } }],
    ["another attribute of the principal", { signed: { principal: { id: "ada", team: "sales" } } }],
    ["no principal", { signed: { principal: undefined } }],
    ["another version", { signed: { definition: { ...definition, version: "2.0.0" } } }],
    [
      "another schema",
      { signed: { definition: { ...definition, inputSchema: { type: "object", required: ["to"] } } } },
    ],
    ["another description", { signed: { definition: { ...definition, description: "Reads a page" } } }],
    ["another name of who signed", { sent: { by: "eve" } }],
    ["a later end", { sent: { until: Date.now() + 3_600_000 } }],
    ["an end that is over", { signed: { for: 0 } }],
    ["an end after the ledger has forgotten", { signed: { for: "25h" } }],
  ];

  test("a call runs with a signature for exactly it, and with nothing less", async () => {
    await work([pay], { approvalKeys: [publicKey] });
    expect((await executor.call(call)).failure?.code).toBe(rejected);
    const seen = await Promise.all(changes.map(async ([what, change]) => [what, await attempt(change)]));
    expect(seen).toEqual(changes.map(([what]) => [what, rejected]));
    expect(pay.calls.length).toBe(0);
    expect(await attempt()).toBe("paid");
    expect(pay.calls).toEqual([{ euros: 5 }]);
  });

  test("one approval is one effect, whatever its caller is said to be", async () => {
    const before = pay.calls.length;
    const request = { executionId: "exec_replay.1", call, definition, by: { id: "ada" } };
    const approval = signApproval(privateKey, request);
    const names = [undefined, "desk", "site", "exec_replay", "id", ""];
    for (const name of [...names, ...names])
      wire.publish(
        "tool.execute.pay_bill",
        JSON.stringify({ executionId: "exec_replay.1", caller: name, call, approval }),
      );
    const keys = ["exec_replay.1", "desk.exec_replay=2e1", "site.exec_replay=2e1", "id.exec_replay=2e1"];
    const entries = await new Kvm(wire).open("TOOL_LEDGER", { allow_direct: true });
    for (const key of keys)
      await expect.poll(async () => (await entries.get(key))?.json<{ state: string }>().state).toBe("final");
    expect(pay.calls.length).toBe(before + 1);
  });

  test("a call that is cancelled while somebody is asked to approve it does not run", async () => {
    const controller = new AbortController();
    const signing = await caller({
      approval(request) {
        controller.abort();
        return signApproval(privateKey, { ...request, by: { id: "ada" } });
      },
    });
    const before = pay.calls.length;
    const { failure } = await signing.call(call, { signal: controller.signal });
    expect(failure).toMatchObject({ code: "TOOL_CANCELLED" });
    expect(signing.counts()).toEqual({ out: 0, waiting: 0 });
    expect(pay.calls.length).toBe(before);
  });

  test("a caller that can sign is asked for tools that need it", async () => {
    const asked: string[] = [];
    const signing = await caller({
      approval: (request) => {
        asked.push(request.call.name);
        return signApproval(privateKey, { ...request, by: { id: "ada" } });
      },
    });
    await work([scriptedTool({ name: "free_tool" })]);
    const view = await signing.fleet();
    await expect.poll(() => view.offersOf("free_tool").length).toBe(1);
    expect((await signing.call({ id: "c", name: "free_tool", arguments: {} })).isError).toBe(false);
    expect((await signing.call(call)).value).toBe("paid");
    expect(asked).toEqual(["pay_bill"]);
  });
});
