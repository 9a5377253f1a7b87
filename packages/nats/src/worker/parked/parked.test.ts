/** Calls of a fleet that wait for the world: parked by one worker, ended by anybody, once. */
import { connect, headers, type NatsConnection } from "@nats-io/transport-node";
import { type AnyTool, deferred, failure, type ToolResult, tool } from "@toolrig/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HANG_MS } from "../../../../../scripts/hang-limit.ts";
import { type NatsProcess, startNats } from "../../../../../scripts/start-nats.ts";
import { NatsExecutor } from "../../caller/executor.ts";
import type { NatsExecutorOptions } from "../../caller/options.ts";
import type { NatsWorkerOptions } from "../options.ts";
import { NatsWorker } from "../worker.ts";
import type { ParkedWait } from "./parked-wait.ts";

const fleet = { ackWait: "500ms" } as const;
let server: NatsProcess;
let wire: NatsConnection;
let executor: NatsExecutor;
/** What workers told of results that did not count. */
const late: string[] = [];
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
  const events: NatsWorkerOptions["events"] = (event) =>
    void (event.type === "call.late" && late.push(event.message ?? ""));
  const worker = new NatsWorker({ nats: { servers: server.url }, fleet, tools, events, ...more });
  await worker.start();
  closing.push(() => worker.stop("1s"));
  return worker;
}

/** A tool whose result comes later, and whom it gave the right to bring it. */
function deploying(name: string, more: object = {}, spec: object = {}) {
  const handed: { executionId: string; token: string }[] = [];
  const told: unknown[] = [];
  const made = tool({
    name,
    description: "Deploy the site",
    input: { type: "object" },
    output: { type: "string" },
    cancel: (ref: unknown) => void told.push(ref),
    ...more,
    execute(_: unknown, { executionId, token }) {
      handed.push({ executionId, token });
      return deferred({ ref: "job 7", note: "the pipeline runs", ...spec });
    },
  });
  return { made, handed, told };
}

const call = (name: string, more: object = {}) => ({ id: "c1", name, arguments: {}, ...more });

async function completeByWire(body: unknown): Promise<{ ok: boolean; code?: string; message?: string }> {
  return (await wire.request("tool.complete", JSON.stringify(body), { timeout: HANG_MS })).json();
}

describe("a call that waits for its result", () => {
  test("is given up by its worker, and ends by whoever brings the result", async () => {
    const { made, handed } = deploying("park_one");
    const worker = await work([made]);
    const { waiting, executionId, isError } = await executor.call(call("park_one"), { onWaiting: "return" });
    expect(waiting).toMatchObject({ kind: "deferred", note: "the pipeline runs" });
    expect(isError).toBe(false);
    await expect.poll(() => worker.dataFlow()).toMatchObject({ parked: 1, inFlight: 0 });
    expect(await executor.resultOf(executionId, { onWaiting: "return" })).toMatchObject({ waiting });
    const result = executor.resultOf(executionId);
    await executor.remoteWaits.complete(executionId, handed[0]?.token ?? "", "live");
    expect(await result).toMatchObject({ value: "live", isError: false, executionId });
    expect(handed).toHaveLength(1);
    expect((await wire.request("$JS.API.STREAM.INFO.AGENT", "", { timeout: HANG_MS })).json()).toMatchObject({
      state: { messages: 0 },
    });
  });

  test("is held for its caller, who hears that it waits", async () => {
    const { made, handed } = deploying("park_held");
    await work([made]);
    const types: string[] = [];
    const own = await caller({ maxInFlight: 1 });
    own.events.on((event) => void types.push(event.type));
    const pending = own.call(call("park_held"));
    await expect.poll(() => types).toContain("call.waiting");
    const [job] = handed as [(typeof handed)[0]];
    await own.remoteWaits.progress(job.executionId, job.token, "half of it");
    await expect.poll(() => types).toContain("call.update");
    // It takes up no place meanwhile.
    const second = own.call(call("park_held"));
    await expect.poll(() => handed.length).toBe(2);
    const [first, other] = handed as [(typeof handed)[0], (typeof handed)[0]];
    await own.remoteWaits.complete(first.executionId, first.token, "one");
    await own.remoteWaits.complete(other.executionId, other.token, failure("the build broke"));
    expect((await pending).value).toBe("one");
    expect((await second).failure).toMatchObject({ message: "the build broke" });
    expect(types.filter((type) => type === "call.resumed")).toHaveLength(2);
  });

  test("takes no result that is forged, of the wrong shape, late or repeated", async () => {
    const { made, handed } = deploying("park_forged");
    await work([made]);
    const { executionId } = await executor.call(call("park_forged"), { onWaiting: "return" });
    const { token } = handed[0] as (typeof handed)[0];
    const body = { execution: executionId, token, value: "live" };
    const refused: [unknown, string][] = [
      [{ ...body, token: "0".repeat(48) }, "the token is not one of its own"],
      [{ ...body, value: 7 }, "does not match the tool's output schema"],
      [{ ...body, execution: "nobody.knows" }, "Nothing waits for a result"],
      [{ ...body, failure: { message: "no" } }, "both a value and a failure"],
      [{ ...body, update: "half" }, "both an update and a result"],
      [{ ...body, vlaue: 1 }, 'no field "vlaue"'],
      [{ ...body, token: 7 }, '"token" must be a text'],
      ["live", "not an object"],
    ];
    for (const [given, says] of refused)
      expect(await completeByWire(given)).toMatchObject({
        ok: false,
        code: "COMPLETION_REFUSED",
        message: expect.stringContaining(says),
      });
    expect(await executor.resultOf(executionId, { onWaiting: "return" })).toHaveProperty("waiting");
    expect(await completeByWire(body)).toEqual({ ok: true });
    expect(await completeByWire({ ...body, value: "again" })).toMatchObject({ ok: false });
    expect(await executor.resultOf(executionId)).toMatchObject({ value: "live" });
    const recorded = late.filter((each) => each.includes(executionId));
    expect(recorded).toHaveLength(3);
  });

  test("ends once however many bring a result at once", async () => {
    const { made, handed } = deploying("park_race");
    await work([made]);
    await work([made]);
    const { executionId } = await executor.call(call("park_race"), { onWaiting: "return" });
    const { token } = handed[0] as (typeof handed)[0];
    const tried = await Promise.all(
      Array.from({ length: 8 }, (_, n) => completeByWire({ execution: executionId, token, value: `v${n}` })),
    );
    const won = tried.findIndex(({ ok }) => ok);
    expect(tried.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await executor.resultOf(executionId)).toMatchObject({ value: `v${won}` });
  });

  test("is checked by one worker at a time", async () => {
    const seen = { now: 0, most: 0, checks: 0 };
    const { made } = deploying("park_checked", {
      wait: { every: "100ms", maxEvery: "200ms" },
      async check(_: unknown) {
        seen.now += 1;
        seen.most = Math.max(seen.most, seen.now);
        seen.checks += 1;
        await new Promise((resolve) => setTimeout(resolve, 20));
        seen.now -= 1;
        return seen.checks >= 4 ? "found" : undefined;
      },
    });
    await Promise.all([work([made]), work([made]), work([made])]);
    expect(await executor.call(call("park_checked"))).toMatchObject({ value: "found", isError: false });
    expect(seen).toMatchObject({ now: 0, most: 1, checks: 4 });
  });

  test("expires", async () => {
    const { made, told } = deploying("park_expires", {}, { expires: "1s" });
    await work([made]);
    expect(await executor.call(call("park_expires"))).toMatchObject({ failure: { code: "TOOL_TIMEOUT" } });
    expect(told).toEqual(["job 7"]);
  });

  test("is cancelled by its caller, and its tool is told once", async () => {
    const { made, told, handed } = deploying("park_cancel");
    await work([made]);
    await work([made]);
    const cancelling = new AbortController();
    const types: string[] = [];
    const stop = executor.events.on((event) => void types.push(event.type));
    const pending = executor.call(call("park_cancel"), { signal: cancelling.signal });
    await expect.poll(() => types).toContain("call.waiting");
    cancelling.abort();
    const result = await pending;
    stop();
    expect(result).toMatchObject({ failure: { code: "TOOL_CANCELLED" } });
    await expect.poll(() => told).toEqual(["job 7"]);
    const { executionId, token } = handed[0] as (typeof handed)[0];
    await expect(executor.remoteWaits.complete(executionId, token, "late")).rejects.toThrow("cancelled");
    expect(await executor.resultOf(executionId)).toMatchObject({ failure: { code: "TOOL_CANCELLED" } });
  });

  test("is another caller's, whatever its execution id", async () => {
    const { made, handed } = deploying("park_shared");
    await work([made]);
    const [one, two] = [await caller({ caller: "one" }), await caller({ caller: "two" })];
    const mine = await one.call(call("park_shared"), { executionId: "x1", onWaiting: "return" });
    expect(mine.waiting).toBeDefined();
    const other = await two.call(call("park_shared"), { executionId: "x1", onWaiting: "return" });
    expect(other.waiting).toBeDefined();
    expect(handed.map(({ executionId }) => executionId)).toEqual(["one.x1", "two.x1"]);
    await expect(two.remoteWaits.complete("x1", handed[0]?.token ?? "", "mine")).rejects.toThrow("token");
    await one.remoteWaits.complete("x1", handed[0]?.token ?? "", "mine");
    expect(await one.resultOf("x1")).toMatchObject({ value: "mine" });
    two.remoteWaits.cancel("x1");
    expect(await two.resultOf("x1")).toMatchObject({ failure: { code: "TOOL_CANCELLED" } });
  });

  test("is not waited for when it was over before it was parked", async () => {
    const { told, handed } = deploying("park_over");
    const over = tool({
      name: "park_over",
      description: "Is taken for lost while it runs",
      input: { type: "object" },
      cancel: (ref: unknown) => void told.push(ref),
      async execute(_: unknown, { executionId, token }) {
        handed.push({ executionId, token });
        const result = { callId: "c1", executionId, name: "park_over", isError: false, content: [] };
        const final = JSON.stringify({ state: "final", fingerprint: "", at: 1, result });
        await wire.request(`$KV.TOOL_LEDGER.${executionId}`, final, { timeout: HANG_MS });
        return deferred({ ref: "job 8" });
      },
    });
    const worker = await work([over]);
    const { executionId, failure: lost } = await executor.call(call("park_over"));
    expect(lost).toMatchObject({ code: "TOOL_OUTCOME_UNKNOWN" });
    await expect.poll(() => told).toEqual(["job 8"]);
    await expect.poll(() => worker.dataFlow()).toMatchObject({ inFlight: 0, late: 1 });
    const completed = executor.remoteWaits.complete(executionId, handed[0]?.token ?? "", "late");
    await expect(completed).rejects.toThrow("cancelled already");
  });

  test("is answered to who publishes plain calls, when it is over", async () => {
    const { made, handed } = deploying("park_plain");
    await work([made]);
    const results: ToolResult[] = [];
    wire.subscribe("tool.result.plain_1", { callback: (_, message) => void results.push(message.json()) });
    await wire.flush();
    await wire.request("tool.execute.park_plain", JSON.stringify({ id: "plain_1", name: "park_plain" }), {
      timeout: HANG_MS,
    });
    await expect.poll(() => handed.length).toBe(1);
    const { executionId, token } = handed[0] as (typeof handed)[0];
    expect(await completeByWire({ execution: executionId, token, value: "done" })).toEqual({ ok: true });
    await expect.poll(() => results).toMatchObject([{ value: "done" }]);
  });

  test("survives its server, its worker and its caller", async () => {
    const { made, handed } = deploying("park_restart");
    const first = await work([made]);
    const early = await caller({ caller: "early" });
    const held = early.call(call("park_restart"), { executionId: "r1" });
    await expect.poll(() => first.dataFlow().parked).toBe(1);
    await early.close();
    expect((await held).failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
    await first.stop("1s");
    await server.kill("SIGKILL");
    await server.restart();
    const again = await caller({ caller: "early" });
    const result = again.call(call("park_restart"), { executionId: "r1" });
    await work([made]);
    // A server that has just started may be slow: tried again as the error says. A refusal means that an earlier try counted.
    const complete = () =>
      again.remoteWaits.complete("r1", handed[0]?.token ?? "", "after all").then(
        () => "counted",
        (error) => (error.code === "COMPLETION_REFUSED" ? "counted" : error.message),
      );
    await expect.poll(complete).toBe("counted");
    expect(await result).toMatchObject({ value: "after all" });
    expect(handed).toHaveLength(1);
  });
});

describe("a call that asks somebody", () => {
  function asking(name: string, more: object = {}) {
    const starts: string[] = [];
    const made = tool({
      name,
      description: "Book a room",
      input: { type: "object" },
      ...more,
      async execute(_: unknown, { ask, executionId }) {
        starts.push(executionId);
        const day = await ask({
          message: "Which day?",
          schema: { type: "string", enum: ["monday", "friday"] },
        });
        if (day.status !== "answered") return `no day: ${day.status}`;
        const sure = await ask({ message: `Sure of ${day.value}?`, schema: { type: "boolean" } });
        return `${day.value}, sure: ${sure.status === "answered" && sure.value}`;
      },
    });
    return { made, starts };
  }
  const by = { id: "ada" };

  test("is given up, and runs again with the answers it has", async () => {
    const { made, starts } = asking("ask_day");
    const worker = await work([made]);
    const first = await executor.call(call("ask_day"), { onWaiting: "return" });
    expect(first.waiting).toMatchObject({ kind: "question", note: "Which day?" });
    await expect.poll(() => worker.dataFlow()).toMatchObject({ parked: 1, inFlight: 0 });
    const id = first.waiting?.id ?? "";
    await expect(executor.remoteWaits.answer(id, { by, value: "sunday" })).rejects.toThrow("does not fit");
    const other = await caller({ caller: "other" });
    await expect(other.remoteWaits.answer(id, { by, value: "monday" })).rejects.toThrow("No question waits");
    const result = executor.resultOf(first.executionId);
    await executor.remoteWaits.answer(id, { by, value: "monday" });
    const second = async () =>
      (await executor.resultOf(first.executionId, { onWaiting: "return" }))?.waiting?.note;
    await expect.poll(second).toBe("Sure of monday?");
    const next = await executor.resultOf(first.executionId, { onWaiting: "return" });
    await executor.remoteWaits.answer(next?.waiting?.id ?? "", { by, value: true });
    expect(await result).toMatchObject({ value: "monday, sure: true" });
    expect(starts).toHaveLength(3);
    await expect(executor.remoteWaits.answer(id, { by, value: "friday" })).rejects.toThrow(
      "answered already",
    );
  });

  test("goes on with another worker, and is over when its caller cancels", async () => {
    const { made, starts } = asking("ask_other", { safety: { sideEffects: "external" } });
    const first = await work([made]);
    const gone = await executor.call(call("ask_other"), { onWaiting: "return" });
    const kept = await executor.call(call("ask_other"), { onWaiting: "return" });
    await first.stop("1s");
    await work([made]);
    executor.remoteWaits.cancel(gone.executionId);
    expect(await executor.resultOf(gone.executionId)).toMatchObject({ failure: { code: "TOOL_CANCELLED" } });
    await executor.remoteWaits.answer(kept.waiting?.id ?? "", { by, declined: true });
    expect(await executor.resultOf(kept.executionId)).toMatchObject({ value: "no day: declined" });
    expect(starts.filter((each) => each === gone.executionId)).toHaveLength(1);
    expect(starts.filter((each) => each === kept.executionId)).toHaveLength(2);
  });
});

test("a wait that the server was made to write in somebody's stead ends nothing", async () => {
  const { made } = deploying("park_relayed");
  await work([made]);
  const { executionId } = await executor.call(call("park_relayed"), { onWaiting: "return" });
  const key = `$KV.AGENT_WAITS.${executionId.replace(".", "=2e")}.result`;
  const read = await wire.request(`$JS.API.DIRECT.GET.KV_AGENT_WAITS.${key}`, "", { timeout: HANG_MS });
  const end = { how: "completed", at: Date.now(), body: { value: "forged" } };
  const relayed = headers();
  relayed.append("Nats-Stream", "KV_TOOL_LEDGER");
  const forged = { ...(read.json() as object), end, nextAt: 1 };
  await wire.request(key, JSON.stringify(forged), { headers: relayed, timeout: HANG_MS });
  const bystander = await executor.call(call("park_relayed"), { onWaiting: "return" });
  expect(bystander.waiting).toBeDefined();
  const asked = executor.remoteWaits.complete(executionId, "0".repeat(48), "live");
  await expect(asked).rejects.toThrow("overwritten in somebody's stead");
  expect(await executor.resultOf(executionId, { onWaiting: "return" })).toHaveProperty("waiting");
});

test("a call in the background goes on at its worker", async () => {
  let end = (_: string) => {};
  const made = tool({
    name: "slow_build",
    description: "Build",
    input: { type: "object" },
    background: "300ms",
    execute: () =>
      new Promise<string>((resolve) => {
        end = resolve;
      }),
  });
  const worker = await work([made]);
  const offered = async () => (await executor.fleet()).offersOf("slow_build").length;
  await expect.poll(offered).toBe(1);
  const { waiting, executionId } = await executor.call(call("slow_build"), { onWaiting: "return" });
  expect(waiting).toMatchObject({ kind: "background" });
  expect(worker.health().inFlight).toBe(1);
  const held = executor.resultOf(executionId);
  end("built");
  expect(await held).toMatchObject({ value: "built" });
});

describe("what a fleet remembers", () => {
  test("it remembers for as long as it is waited for", async () => {
    const { made } = deploying("park_long");
    const worker = await work([made]);
    const { executionId } = await executor.call(call("park_long"), { onWaiting: "return" });
    const [wait] = (await worker.waits.list({ executionId })) as [ParkedWait];
    expect((wait.nextAt ?? 0) - Date.now()).toBeLessThanOrEqual(6 * 3_600_000);
    const entry = async () =>
      (
        await wire.request(`$JS.API.DIRECT.GET.KV_TOOL_LEDGER.$KV.TOOL_LEDGER.${executionId}`, "", {
          timeout: HANG_MS,
        })
      ).json<{
        at: number;
      }>().at;
    const before = await entry();
    // As if a quarter of the time had gone by.
    const fleetCall = { ...wait.fleet, keptAt: Date.now() - 7 * 3_600_000 };
    const old = JSON.stringify({ ...wait, fleet: fleetCall, nextAt: Date.now() });
    await wire.request(`$KV.AGENT_WAITS.${executionId.replace(".", "=2e")}.result`, old, {
      timeout: HANG_MS,
    });
    await expect.poll(entry).toBeGreaterThan(before);
    expect(await executor.resultOf(executionId, { onWaiting: "return" })).toHaveProperty("waiting");
  });

  test("it waits for nothing longer than it remembers", async () => {
    const small = await startNats();
    const nats = { servers: small.url };
    const short = { ledgerTtl: "1m" } as const;
    const { made } = deploying("park_short", { timeout: "5s" }, { expires: "1h" });
    const worker = new NatsWorker({ nats, fleet: short, tools: [made] });
    await worker.start();
    const own = await NatsExecutor.connect({ nats, fleet: short, queueTimeout: "20s" });
    const { failure: refused } = await own.call(call("park_short"));
    expect(refused).toMatchObject({ code: "TOOL_OUTCOME_UNKNOWN" });
    expect(refused?.message).toContain("forgets calls after 1m (ledgerTtl)");
    await own.close();
    await worker.stop("1s");
    await small.close();
  });
});
