/** Starting and stopping where the server does not do its part. */
import { fork } from "node:child_process";
import { join } from "node:path";
import { DiscardPolicy, jetstreamManager, RetentionPolicy } from "@nats-io/jetstream";
import { connect, nanos } from "@nats-io/transport-node";
import { scriptedTool } from "@toolrig/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { freePort, type NatsProcess, startNats } from "../../../../scripts/start-nats.ts";
import { NatsExecutor } from "../caller/executor.ts";
import { NatsWorker } from "./worker.ts";

const fleet = { ackWait: "300ms" } as const;
let server: NatsProcess;

beforeEach(async () => {
  server = await startNats();
});
afterEach(() => server.close());

describe("a worker that stops while the server is away", () => {
  test("does not wait for it", async () => {
    const hanging = scriptedTool({ name: "hanging", script: [{ hangs: true }] });
    const worker = new NatsWorker({ nats: { servers: server.url }, fleet, tools: [hanging] });
    await worker.start();
    const wire = await connect({ servers: server.url });
    wire.publish("tool.execute.hanging", JSON.stringify({ id: "c", name: "hanging" }));
    await expect.poll(() => hanging.calls.length).toBe(1);
    await wire.close();
    await server.kill("SIGKILL");
    await expect.poll(() => worker.health().inFlight).toBe(1);
    await worker.stop("300ms");
    expect(worker.health().state).toBe("stopped");
  });

  test("lets its process end", async () => {
    const program = join(import.meta.dirname, "../../test/stopping-worker.ts");
    const child = fork(program, [server.url], {
      execArgv: ["--conditions=@toolrig/source"],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    const ended = new Promise((resolve) => child.once("exit", resolve));
    await new Promise((resolve) => child.once("message", resolve));
    await server.kill("SIGKILL");
    child.send("stop");
    expect(await ended).toBe(0);
  });
});

describe("starts and stops that overlap leave one worker or none", () => {
  const make = (script?: Parameters<typeof scriptedTool>[0]["script"]) => {
    const tool = scriptedTool({ name: "shared", ...(script !== undefined && { script }) });
    return { tool, worker: new NatsWorker({ nats: { servers: server.url }, fleet, tools: [tool] }) };
  };

  /** How many workers others see. */
  async function present(): Promise<number> {
    const executor = await NatsExecutor.connect({ nats: { servers: server.url }, fleet });
    const workers = (await executor.fleet()).workers().length;
    await executor.close();
    return workers;
  }

  test("two starts at once are one", async () => {
    const { worker } = make();
    await Promise.all([worker.start(), worker.initialize(), worker.start()]);
    expect(await present()).toBe(1);
    await worker.stop("1s");
    expect(worker.health()).toMatchObject({ state: "stopped", connected: false });
    expect(await present()).toBe(0);
  });

  test("a stop while it starts stops it", async () => {
    const { worker } = make();
    const starting = worker.start();
    await worker.stop("1s");
    await starting;
    expect(worker.health()).toMatchObject({ state: "stopped", connected: false });
    expect(await present()).toBe(0);
  });

  test("a start while it stops waits, and a second stop ends with the first", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { tool, worker } = make([() => held.then(() => "done"), { returns: "again" }]);
    await worker.start();
    const executor = await NatsExecutor.connect({ nats: { servers: server.url }, fleet });
    const running = executor.call({ id: "c", name: "shared", arguments: {} });
    await expect.poll(() => tool.calls.length).toBe(1);
    const order: string[] = [];
    const note = (what: string) => () => void order.push(what);
    const all = [
      worker.stop("20s").then(note("stopped")),
      worker.stop("0s").then(note("stopped too")),
      worker.start().then(note("started")),
    ];
    expect(worker.health().state).toBe("draining");
    release();
    await Promise.all(all);
    expect(order).toEqual(["stopped", "stopped too", "started"]);
    expect((await running).value).toBe("done");
    expect((await executor.call({ id: "d", name: "shared", arguments: {} })).value).toBe("again");
    await executor.close();
    await worker.stop("1s");
    expect(await present()).toBe(0);
  });

  test("a start after one that failed is tried anew", async () => {
    const { worker } = make();
    const port = server.port;
    await server.close();
    const failing = worker.start();
    await expect(Promise.all([failing, worker.start()])).rejects.toMatchObject({ code: "STORE_FAILED" });
    server = await startNats({ port });
    await worker.start();
    expect(worker.health().state).toBe("running");
    await worker.stop("1s");
  });
});

describe("what the server refuses is an error that names it", () => {
  const only = (allowed: string, denied: string) =>
    `authorization { users: [{user: u, password: x, permissions: {publish: ">", subscribe: {allow: "${allowed}", deny: "${denied}"}}}] }`;
  const login = () => ({ servers: server.url, user: "u", pass: "x", inboxPrefix: "_IN" });

  async function restricted(denied: string): Promise<void> {
    await server.close();
    server = await startNats({ port: await freePort(), extra: only(">", denied) });
  }

  test.each(["tool.cancel.>", "tool.list", "tool.worker.*"])("to a worker: %s", async (denied) => {
    await restricted(denied);
    const tools = [scriptedTool({ name: "denied" })];
    const worker = new NatsWorker({ nats: login(), fleet, tools });
    await expect(worker.start()).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining(`subscribe: { allow: ["${denied}"] }`),
    });
    expect(worker.health()).toMatchObject({ state: "stopped", connected: false });
  });

  test.each(["tool.result.desk.*", "tool.update.desk.*"])("to a caller: %s", async (denied) => {
    await restricted(denied);
    const connecting = NatsExecutor.connect({ nats: login(), fleet, caller: "desk" });
    await expect(connecting).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining(`subscribe: { allow: ["${denied}"] }`),
    });
  });

  test("also when it is consumers, with their number", async () => {
    const wire = await connect({ servers: server.url });
    await (await jetstreamManager(wire)).streams.add({
      name: "AGENT",
      subjects: ["tool.execute.>"],
      retention: RetentionPolicy.Workqueue,
      discard: DiscardPolicy.New,
      max_age: nanos(3_600_000),
      max_consumers: 4,
    });
    await wire.close();
    const tools = ["a", "b", "c"].map((name) => scriptedTool({ name, more: { version: "1.0.0" } }));
    const worker = new NatsWorker({ nats: { servers: server.url }, fleet, tools });
    await expect(worker.start()).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringMatching(/this worker needs 6 .* and could have 4\. Raise max_consumers/),
    });
  });
});

describe("a tool whose name makes a subject too long", () => {
  const name = "é".repeat(200);

  test("is refused when a worker has it", async () => {
    const made = { ...scriptedTool({ name: "short" }), name };
    const source = { version: 1, tools: () => [made], get: () => made };
    const worker = new NatsWorker({ nats: { servers: server.url }, fleet, tools: source });
    await expect(worker.start()).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining("its name takes 1200 characters of a subject"),
    });
  });

  test("is refused when it is called, and its neighbours run", async () => {
    const worker = new NatsWorker({
      nats: { servers: server.url },
      fleet,
      tools: [scriptedTool({ name: "x".repeat(64) })],
    });
    await worker.start();
    const executor = await NatsExecutor.connect({ nats: { servers: server.url }, fleet });
    for (const long of [name, "x".repeat(5_000)])
      expect((await executor.call({ id: "c", name: long, arguments: {} })).failure).toMatchObject({
        code: "TOOL_NOT_FOUND",
        message: expect.stringContaining("at most 400 fit"),
      });
    expect((await executor.call({ id: "c", name: "x".repeat(64), arguments: {} })).isError).toBe(false);
    await executor.close();
    await worker.stop();
  });
});

test("a message that a subscriber chokes on makes nobody deaf", async () => {
  const worker = new NatsWorker({
    nats: { servers: server.url },
    fleet,
    tools: [scriptedTool({ name: "hears" })],
  });
  await worker.start();
  const executor = await NatsExecutor.connect({ nats: { servers: server.url }, fleet, caller: "desk" });
  const wire = await connect({ servers: server.url });
  const garbage = [
    new Uint8Array(),
    Uint8Array.of(255, 254, 0),
    "null",
    "[]",
    '{"state":"final"}',
    '{"event":null}',
  ];
  for (const subject of [
    "tool.cancel.x.y",
    "tool.list",
    `tool.worker.${worker.id}`,
    "tool.result.desk.x",
    "tool.update.desk.x",
  ])
    for (const data of garbage) wire.publish(subject, data, { reply: "tool.list" });
  await wire.flush();
  await wire.close();
  expect((await executor.call({ id: "c", name: "hears", arguments: {} })).isError).toBe(false);
  await executor.close();
  await worker.stop();
});
