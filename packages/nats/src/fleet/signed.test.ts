/** Workers that are told the keys of their callers run nothing that those did not sign. */
import { jetstreamManager } from "@nats-io/jetstream";
import { createUser } from "@nats-io/nkeys";
import { connect, headers, type MsgHdrs, type NatsConnection } from "@nats-io/transport-node";
import { deferred, type Principal, tool } from "@toolrig/core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { HANG_MS } from "../../../../scripts/hang-limit.ts";
import { type NatsProcess, startNats } from "../../../../scripts/start-nats.ts";
import { NatsExecutor } from "../caller/executor.ts";
import { signerOf } from "../wire/signature.ts";
import { NatsWorker } from "../worker/worker.ts";
import { DeadLetters } from "./dead-letters.ts";

const fleet = { ackWait: "1s" } as const;
const [desk, site] = [createUser(), createUser()];
const seedOf = (pair: typeof desk) => Buffer.from(pair.getSeed()).toString();
const closing: (() => Promise<unknown>)[] = [];
const ran: { echo: string; principal: Principal | undefined }[] = [];
let token = "";
let server: NatsProcess;
let wire: NatsConnection;
let signing: NatsExecutor;
let worker: NatsWorker;

beforeAll(async () => {
  server = await startNats();
  wire = await connect({ servers: server.url });
  const sends = tool({
    name: "send_mail",
    description: "Send a mail",
    input: { type: "object", properties: { echo: { type: "string" } } },
    async execute({ echo = "" }, context) {
      ran.push({ echo, principal: context.principal });
      if (echo === "ask") return (await context.ask({ message: "Sure?" })).status;
      if (echo !== "later") return echo;
      ({ token } = context);
      return deferred();
    },
  });
  worker = new NatsWorker({
    nats: { servers: server.url },
    fleet,
    tools: [sends],
    callers: { desk: { keys: [desk.getPublicKey()] }, site: { keys: [site.getPublicKey()] } },
  });
  await worker.start();
  closing.push(() => worker.stop("1s"));
  signing = await caller("desk", seedOf(desk));
});

afterAll(async () => {
  await Promise.all(closing.map((close) => close()));
  await wire.close();
  await server.close();
});

async function caller(name: string, signer?: string): Promise<NatsExecutor> {
  const nats = { servers: server.url };
  const executor = await NatsExecutor.connect({
    nats,
    fleet,
    caller: name,
    queueTimeout: "3s",
    ...(signer !== undefined && { signer }),
  });
  closing.push(() => executor.close());
  return executor;
}

const call = (echo: string) => ({ id: "c", name: "send_mail", arguments: { echo } });

/** A call as desk would send it. */
const body = (executionId: string, echo: string) =>
  JSON.stringify({ executionId, caller: "desk", call: call(echo), options: { principal: { id: "boss" } } });

function fieldsOf(subject: string, text: string, pair = desk): MsgHdrs {
  const made = headers();
  for (const [name, value] of Object.entries(signerOf(seedOf(pair)).sign(subject, text)))
    made.set(name, value);
  return made;
}

async function reasons(): Promise<string[]> {
  const letters = await DeadLetters.connect({ nats: { servers: server.url }, fleet });
  const found = (await letters.list()).map(({ reason }) => reason);
  await letters.close();
  return found;
}

test("a signed call runs, and counts as its caller's whatever it says", async () => {
  const { value } = await signing.call(call("signed"), { principal: { id: "boss" } });
  expect(value).toBe("signed");
  expect(ran).toContainEqual({ echo: "signed", principal: { id: "desk" } });
});

test("a large signed call runs", async () => {
  const large = "x".repeat(2_000_000);
  expect((await signing.call(call(large))).value === large).toBe(true);
});

const subject = "tool.execute.send_mail";

test.each([
  ["that nobody signed", "f1", () => undefined, "it is not signed"],
  ["that another caller signed", "f2", (text: string) => fieldsOf(subject, text, site), "not that of desk"],
  ["of another text", "f3", () => fieldsOf(subject, body("f3", "other")), "not that of desk"],
  ["for another subject", "f4", (text: string) => fieldsOf("tool.execute.search", text), "not that of desk"],
  [
    "with a time that was changed",
    "f5",
    (text: string) => {
      const made = fieldsOf(subject, text);
      made.set("Tool-Signed-At", String(Date.now() + 1));
      return made;
    },
    "not that of desk",
  ],
] as const)("a call %s does not run", async (_, id, sign, reason) => {
  const text = body(id, id);
  const fields = sign(text);
  await wire.request(subject, text, { timeout: HANG_MS, ...(fields && { headers: fields }) });
  const before = (await reasons()).length;
  await expect.poll(async () => (await reasons()).at(-1)).toContain(reason);
  expect(before).toBeLessThanOrEqual((await reasons()).length);
  expect(ran.map(({ echo }) => echo)).not.toContain(id);
});

test("a call that was signed ahead of the clock, which would be young when the ledger has forgotten it, does not run", async () => {
  const day = 86_400_000;
  for (const [id, offset, reason] of [
    ["ahead", 365 * day, "signed in the future"],
    ["old", -day, "signed so long ago"],
  ] as const) {
    const text = body(id, id);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + offset });
    const fields = fieldsOf(subject, text);
    vi.useRealTimers();
    await wire.request(subject, text, { headers: fields, timeout: HANG_MS });
    await expect.poll(async () => (await reasons()).at(-1)).toContain(reason);
    expect(ran.map(({ echo }) => echo)).not.toContain(id);
  }
});

test("a call of a caller whose clock is an hour off runs", async () => {
  for (const [id, offset] of [
    ["fast", 3_600_000],
    ["slow", -3_600_000],
  ] as const) {
    const text = body(id, id);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + offset });
    const fields = fieldsOf(subject, text);
    vi.useRealTimers();
    await wire.request(subject, text, { headers: fields, timeout: HANG_MS });
    await expect.poll(async () => (await signing.resultOf(id))?.value).toBe(id);
  }
});

test("a call of a caller whose key nobody knows does not run", async () => {
  const stranger = await caller("stranger", seedOf(createUser()));
  void stranger.call(call("stranger"));
  await expect.poll(reasons).toContain("its signature is not that of stranger for this subject and text");
  expect(ran.map(({ echo }) => echo)).not.toContain("stranger");
});

test("a copy of a signed call runs once", async () => {
  const text = body("twice", "twice");
  const fields = fieldsOf(subject, text);
  for (let copy = 0; copy < 3; copy++)
    await wire.request(subject, text, { headers: fields, timeout: HANG_MS });
  expect((await signing.resultOf("twice"))?.value).toBe("twice");
  expect(ran.filter(({ echo }) => echo === "twice")).toHaveLength(1);
});

test("a copy that the queue sources from another stream does not run, although it is signed", async () => {
  const text = body("sourced", "sourced");
  const { streams } = await jetstreamManager(wire);
  await streams.add({ name: "EVIL", subjects: ["evil.*"] });
  await wire.request("evil.x", text, { headers: fieldsOf(subject, text), timeout: HANG_MS });
  const { buried } = worker.dataFlow();
  const subject_transforms = [{ src: "evil.x", dest: subject }];
  await streams.update("AGENT", { sources: [{ name: "EVIL", subject_transforms }] });
  await expect.poll(() => worker.dataFlow().buried).toBe(buried + 1);
  await expect(caller("desk")).rejects.toThrow("it copies other streams");
  await streams.update("AGENT", { sources: [] });
  expect((await reasons()).at(-1)).toContain("who may not say this");
  expect(ran.map(({ echo }) => echo)).not.toContain("sourced");
});

test("a question is answered by its caller's signature alone, and the call goes on", async () => {
  const asks = await signing.call(call("ask"), { executionId: "asks", onWaiting: "return" });
  const question = asks.waiting?.id ?? "";
  const unsigned = await caller("desk");
  const answer = { by: { id: "boss" }, value: "yes" };
  await expect(unsigned.remoteWaits.answer(question, answer)).rejects.toThrow("it is not signed");
  await signing.remoteWaits.answer(question, answer);
  expect(await signing.resultOf("asks")).toMatchObject({ value: "answered" });
});

test("a result comes from one of the callers, and a cancellation from the call's own", async () => {
  for (const executionId of ["later1", "later2"]) {
    const options = { executionId, onWaiting: "return" } as const;
    expect((await signing.call(call("later"), options)).waiting?.kind).toBe("deferred");
    const unsigned = await caller("desk");
    await expect(unsigned.remoteWaits.complete(`desk.${executionId}`, token, 1)).rejects.toThrow(
      "not signed",
    );
    unsigned.remoteWaits.cancel(executionId);
    (await caller("desk", seedOf(site))).remoteWaits.cancel(executionId);
    if (executionId === "later2") signing.remoteWaits.cancel(executionId);
    else await (await caller("site", seedOf(site))).remoteWaits.complete(`desk.${executionId}`, token, 1);
  }
  expect(await signing.resultOf("later1")).toMatchObject({ value: 1 });
  expect(await signing.resultOf("later2")).toMatchObject({ failure: { code: "TOOL_CANCELLED" } });
});

test("what is no key is refused, and not shown", async () => {
  const nats = { servers: server.url };
  await expect(NatsExecutor.connect({ nats, signer: "SUsecret" })).rejects.toThrow(
    /^(?!.*SUsecret).*seed of an NKey/,
  );
  const wrong = new NatsWorker({ nats, tools: [], callers: { desk: { keys: ["UNOKEY"] } } });
  await expect(wrong.start()).rejects.toThrow("public NKey");
});
