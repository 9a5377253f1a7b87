/** Questions of every kind, to clients that others wrote: answered rightly, wrongly, late, twice and not at all. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { Executor, Registry, tool } from "@toolrig/core";
import { connectMcp, mcpServer } from "@toolrig/mcp";
import { until } from "../../scripts/until.ts";
import type { ProofMode, Verdict } from "../proof.ts";
import { type Answer, type AskingClient, inspector, sdk1, sdk2 } from "./asking-clients.ts";
import type { Revision } from "./look.ts";

const ASKING = new URL("../../packages/mcp/test/asking-server.ts", import.meta.url).pathname;
const PERSON = { id: "ada" };
const titled = (...values: string[]) => values.map((value) => ({ const: value, title: value.toUpperCase() }));

interface Kind {
  name: string;
  field: object;
  right: unknown;
  wrong: unknown;
}

const KINDS: readonly Kind[] = [
  { name: "text", field: { type: "string", minLength: 2, maxLength: 9 }, right: "abc", wrong: "x" },
  { name: "email", field: { type: "string", format: "email" }, right: "a@example.com", wrong: "a" },
  { name: "address", field: { type: "string", format: "uri" }, right: "https://example.com/", wrong: "no" },
  { name: "date", field: { type: "string", format: "date" }, right: "2026-01-31", wrong: "2026-02-31" },
  {
    name: "time",
    field: { type: "string", format: "date-time" },
    right: "2026-01-31T10:00:00Z",
    wrong: "noon",
  },
  { name: "number", field: { type: "number", minimum: 0.5, maximum: 2 }, right: 1.5, wrong: 9 },
  { name: "integer", field: { type: "integer", minimum: 1, maximum: 3 }, right: 2, wrong: 2.5 },
  { name: "boolean", field: { type: "boolean" }, right: false, wrong: "perhaps" },
  { name: "enum", field: { type: "string", enum: ["red", "blue"] }, right: "blue", wrong: "green" },
  { name: "const with titles", field: { type: "string", oneOf: titled("r", "b") }, right: "b", wrong: "g" },
  {
    name: "several choices",
    field: { type: "array", items: { type: "string", enum: ["a", "b", "c"] }, minItems: 1, maxItems: 2 },
    right: ["a", "c"],
    wrong: ["a", "d"],
  },
  {
    name: "several choices with titles",
    field: { type: "array", items: { anyOf: titled("a", "b") } },
    right: ["b"],
    wrong: ["z"],
  },
];
const CHOICE = KINDS.find(({ name }) => name === "enum") as Kind;

const form = (fields: Record<string, object>) => ({
  message: "Tell me",
  requestedSchema: { type: "object", properties: fields, required: Object.keys(fields) },
});
const ADDRESS = {
  mode: "url",
  message: "Sign in",
  url: "https://example.com/in",
  elicitationId: "e1",
};
const accept = (content: Record<string, unknown>): Answer => ({ action: "accept", content });

/** A rig on loopback with a server behind it that asks, and a tool of its own that does. */
async function gateway(behind: Revision) {
  const own = tool({
    name: "own",
    description: "Ask",
    input: { type: "object", properties: { question: { type: "object" } } },
    safety: { sideEffects: "none", idempotent: true },
    async execute({ question }, { ask }) {
      const { requestedSchema: schema, message } = question as ReturnType<typeof form>;
      const answer = await ask({ message, schema: schema as never });
      if (answer.status === "answered") return JSON.stringify({ action: "accept", content: answer.value });
      return JSON.stringify({ action: answer.status === "cancelled" ? "cancel" : "decline" });
    },
  });
  const registry = new Registry([own]);
  const executor = new Executor({ tools: registry });
  const era = behind === "2025-11-25" ? "2025" : "2026";
  const mcp = connectMcp(
    { registry },
    { servers: { it: { command: process.execPath, args: [ASKING], era } } },
  );
  const served = mcpServer({ executor });
  const server = createServer((request, response) => void served.node(request, response));
  server.listen(0, "127.0.0.1");
  await Promise.all([mcp.ready, once(server, "listening")]);
  const ends = new Map<string, number>();
  executor.events.watch("call.end", ({ executionId, result }) => {
    if (result.waiting !== undefined || result.replayed === true) return;
    ends.set(executionId, (ends.get(executionId) ?? 0) + 1);
  });
  const openQuestions = () => executor.waits.list({ open: true, kind: "question" });
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    executor,
    /** How often the execution that ended most often has ended. */
    ends: () => Math.max(0, ...ends.values()),
    openQuestions,
    /** Answers what is open, as somebody does who looks at the inbox. */
    async answerElsewhere(value: unknown) {
      for (const { id } of await openQuestions()) await executor.waits.answer(id, { by: PERSON, value });
    },
    async close() {
      await served.close();
      await mcp.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

type Gateway = Awaited<ReturnType<typeof gateway>>;
/** True when it holds; else what was seen, where that is known. */
type Check = (name: string, holds: () => Promise<boolean | string>) => Promise<void>;
const TOOLS = ["it__ask", "own"] as const;
const sides = { it__ask: "of the server behind", own: "of a tool of the rig" };

/** What a client comes to that is asked one kind of question. */
async function askKind(client: AskingClient, toolName: string, { field, right, wrong }: Kind) {
  const question = form({ it: field });
  let asked = 0;
  const once = await client.ask(toolName, question, () => accept({ it: right }));
  const again = await client.ask(toolName, question, () => {
    asked += 1;
    return accept({ it: asked === 1 ? wrong : right });
  });
  const expected = accept({ it: right });
  return {
    right: isDeepStrictEqual(once, expected),
    wrong: isDeepStrictEqual(again, expected) && asked === 2,
  };
}

/** Whether a call came to what it should, and ended once. */
function sameOnce(came: unknown, expected: Answer, ends: number): true | string {
  if (isDeepStrictEqual(came, expected) && ends === 1) return true;
  return `it came to ${JSON.stringify(came)} and ended ${ends} times`;
}

async function askInEveryWay(
  client: AskingClient,
  rig: Gateway,
  toolName: (typeof TOOLS)[number],
  check: Check,
) {
  const { field, right } = CHOICE;
  const question = form({ it: field });
  const side = sides[toolName];
  for (const action of ["decline", "cancel"] as const)
    await check(`${action} ${side}`, async () =>
      isDeepStrictEqual(await client.ask(toolName, question, () => ({ action })), { action }),
    );
  // Each request that comes back for a call of the rig's own tool tells of its end; a held call of the server behind ends once.
  // The Inspector's command has returned when it is asked: it cannot see how a call ended that somebody else answered.
  if (client.cannotGiveUp !== true)
    await check(`late, when it was answered elsewhere, ${side}`, async () => {
      const came = await client.ask(toolName, question, async () => {
        await rig.answerElsewhere({ it: "red" });
        return accept({ it: right });
      });
      return sameOnce(came, accept({ it: "red" }), toolName === "own" ? 1 : rig.ends());
    });
  if (client.cannotGiveUp !== true)
    await check(`not at all, ${side}`, async () => {
      const giving = new AbortController();
      const asked = Promise.withResolvers<void>();
      const person = () => {
        asked.resolve();
        return new Promise<Answer>(() => {});
      };
      const call = client.ask(toolName, question, person, giving.signal).then(
        () => false,
        () => true,
      );
      await asked.promise;
      giving.abort();
      // A client since 2026-07-28 waits for its own person, and just does not come back.
      const isGivenUp = client.revision === "2026-07-28" || (await call);
      // Since 2026-07-28 the request was over when the client was asked: somebody else may answer.
      if (client.revision === "2026-07-28") await rig.answerElsewhere({ it: right });
      await until(async () => (await rig.openQuestions()).length === 0);
      return isGivenUp;
    });
  await check(`twice, ${side}`, async () => {
    const again = client.sendTwice();
    const came = await client.ask(toolName, question, () => accept({ it: right }));
    await Promise.all(again);
    return again.length > 0 && sameOnce(came, accept({ it: right }), toolName === "own" ? 1 : rig.ends());
  });
}

async function askSdk(client: AskingClient, rig: Gateway, check: Check) {
  for (const toolName of TOOLS) {
    for (const kind of KINDS) {
      const { right, wrong } = await askKind(client, toolName, kind);
      await check(`${kind.name} rightly, ${sides[toolName]}`, async () => right);
      await check(`${kind.name} wrongly and then rightly, ${sides[toolName]}`, async () => wrong);
    }
  }
  await askAddress(client, check);
  for (const toolName of TOOLS) await askInEveryWay(client, rig, toolName, check);
}

async function askAddress(client: AskingClient, check: Check) {
  for (const action of ["accept", "cancel"] as const)
    await check(`an address to open, ${action}`, async () =>
      isDeepStrictEqual(await client.ask("it__ask", ADDRESS, () => ({ action })), { action }),
    );
}

/** Each command of the Inspector is a program: all kinds are fields of one form. */
async function askInspector(client: AskingClient, rig: Gateway, check: Check) {
  const all = (which: "right" | "wrong") =>
    Object.fromEntries(KINDS.map((kind, index) => [`f${index}`, kind[which]]));
  const question = form(Object.fromEntries(KINDS.map(({ field }, index) => [`f${index}`, field])));
  for (const toolName of TOOLS) {
    let asked = 0;
    await check(`all kinds in one form, wrongly and then rightly, ${sides[toolName]}`, async () => {
      const came = await client.ask(toolName, question, () => {
        asked += 1;
        return accept(all(asked === 1 ? "wrong" : "right"));
      });
      return isDeepStrictEqual(came, accept(all("right"))) && asked === 2;
    });
  }
  await askAddress(client, check);
  await askInEveryWay(client, rig, "it__ask", check);
}

/** Answers in the inbox of the rig, which is the server's client. */
async function askInbox(rig: Gateway, check: Check) {
  const { field, right, wrong } = CHOICE;
  const begin = async () => {
    const args = { question: form({ it: field }) };
    const call = rig.executor.call({ id: "call_1", name: "it__ask", arguments: args });
    await until(async () => (await rig.openQuestions()).length === 1);
    const [{ id } = { id: "" }] = await rig.openQuestions();
    return { call, id };
  };
  const refuses = (answered: Promise<unknown>) =>
    answered.then(
      () => false,
      () => true,
    );
  await check("in the inbox: wrongly, rightly, twice and late", async () => {
    const { call, id } = await begin();
    const isWrongRefused = await refuses(rig.executor.waits.answer(id, { by: PERSON, value: { it: wrong } }));
    await rig.executor.waits.answer(id, { by: PERSON, value: { it: right } });
    const isTwiceRefused = await refuses(rig.executor.waits.answer(id, { by: PERSON, value: { it: "red" } }));
    const { content } = await call;
    const isLateRefused = await refuses(rig.executor.waits.answer(id, { by: PERSON, value: { it: "red" } }));
    const said = JSON.parse((content[0] as { text: string }).text) as unknown;
    return (
      isWrongRefused && isTwiceRefused && isLateRefused && isDeepStrictEqual(said, accept({ it: right }))
    );
  });
  await check("in the inbox: not at all, the call is cancelled", async () => {
    const giving = new AbortController();
    const args = { question: form({ it: field }) };
    const call = rig.executor.call(
      { id: "call_1", name: "it__ask", arguments: args },
      { signal: giving.signal },
    );
    await until(async () => (await rig.openQuestions()).length === 1);
    giving.abort();
    const { failure } = await call;
    await until(async () => (await rig.openQuestions()).length === 0);
    return failure?.code === "TOOL_CANCELLED";
  });
}

const REVISIONS: readonly Revision[] = ["2025-11-25", "2026-07-28"];

export async function questions(mode: ProofMode, print: (line: string) => void): Promise<Verdict> {
  const tally: Verdict = { passed: 0, failed: 0 };
  const checkFor =
    (prefix: string): Check =>
    async (name, holds) => {
      const problem = await holds().then(
        (held) => (held === true ? undefined : held === false ? "" : `: ${held}`),
        (error: Error) => `: ${error.message}`,
      );
      tally[problem === undefined ? "passed" : "failed"] += 1;
      print(`${problem === undefined ? "held" : "MISS"}  questions  ${prefix}  ${name}${problem ?? ""}`);
    };
  for (const behind of mode === "quick" ? REVISIONS.slice(0, 1) : REVISIONS) {
    const rig = await gateway(behind);
    await askInbox(rig, checkFor(`server of ${behind}`));
    const makers = [
      () => sdk1(rig.url),
      ...REVISIONS.map((front) => () => sdk2(rig.url, front)),
      ...(mode === "full" ? REVISIONS.map((front) => () => inspector(rig.url, front)) : []),
    ];
    for (const make of makers) {
      const client = await make();
      const check = checkFor(`${client.name} of ${client.revision}, server of ${behind}`);
      try {
        await (client.cannotGiveUp === true ? askInspector : askSdk)(client, rig, check);
      } finally {
        await client.close();
      }
    }
    await rig.close();
  }
  return tally;
}
