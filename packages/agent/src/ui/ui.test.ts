import { type BaseEvent, HttpAgent } from "@ag-ui/client";
import { ApprovalQueue, Executor, MemoryJournal, MemoryLedger, result, tool } from "@toolrig/core";
import { MemoryApprovalStore, MemoryWaitStore } from "@toolrig/core/kit";
import {
  AbstractChat,
  type ChatState,
  createUIMessageStreamResponse,
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
  type UIMessageChunk,
} from "ai";
import { expect, expectTypeOf, test } from "vitest";
import { type Script, scriptedEngine } from "../engines/scripted.ts";
import { AgentLoop } from "../loop/loop.ts";
import type { AgentLoopOptions } from "../loop/options.ts";
import type { EngineEvent } from "../model/engine.ts";
import { ModelFault } from "../model/faults.ts";
import { toAgUi } from "./ag-ui.ts";
import { toUIMessageStream, type UiMessageChunk } from "./ui-message-stream.ts";

const input = { type: "object", properties: { order: { type: "string" } } } as const;
const IMAGE = { type: "image" as const, data: "iVBORw0KGgo=", mimeType: "image/png" };

/** A loop with a tool that asks, one that reads, one that shows an image and one that fails. */
function desk(script: Script, more: Partial<AgentLoopOptions> = {}) {
  const waits = new MemoryWaitStore();
  const approvals = new ApprovalQueue({ store: new MemoryApprovalStore(waits) });
  const refunded: unknown[] = [];
  const read = { description: "Reads", input, safety: { sideEffects: "read" } } as const;
  const tools = [
    tool({
      name: "refund",
      description: "Refunds",
      input,
      approval: true,
      execute: (args) => {
        refunded.push(args);
        return { refunded: args };
      },
    }),
    tool({
      ...read,
      name: "look",
      async *execute() {
        yield { content: "looking", progress: 0.5 };
        return { seen: 1 };
      },
    }),
    tool({
      ...read,
      name: "photo",
      execute: () => result({ content: [{ type: "text", text: "a door" }, IMAGE] }),
    }),
    tool({
      ...read,
      name: "fail",
      execute: () => {
        throw new Error("no such door");
      },
    }),
  ];
  const executor = new Executor({ tools, waits, ledger: new MemoryLedger(), approve: approvals.approver });
  const journal = new MemoryJournal();
  const engine = scriptedEngine(script);
  const loop = new AgentLoop({
    engine,
    tools,
    executor,
    journal,
    onWaiting: "suspend",
    retry: { backoff: 0 },
    ...more,
  });
  return { loop, approvals, refunded };
}

/** A chat as `useChat` has it, without React, which asks a server in this process. */
class Chat extends AbstractChat<UIMessage> {
  constructor(fetch: typeof globalThis.fetch) {
    const state: ChatState<UIMessage> = {
      status: "ready",
      error: undefined,
      messages: [],
      pushMessage(message) {
        state.messages = [...state.messages, message];
      },
      popMessage() {
        state.messages = state.messages.slice(0, -1);
      },
      replaceMessage(index, message) {
        state.messages = state.messages.with(index, message);
      },
      snapshot: (thing) => structuredClone(thing),
    };
    super({
      state,
      transport: new DefaultChatTransport({ api: "http://desk.example/chat", fetch }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
  }
}

/** The server of one chat: a first message starts a run, answers to approvals continue it. */
function serverOf({ loop, approvals }: ReturnType<typeof desk>): typeof globalThis.fetch {
  return async (_url, init) => {
    const { messages } = JSON.parse(String(init?.body)) as { messages: UIMessage[] };
    const last = messages.at(-1);
    if (last?.role === "user") return respond(loop.run("Go.", { runId: "run_1" }));
    for (const part of last?.parts ?? []) {
      if (!isToolUIPart(part) || part.state !== "approval-responded") continue;
      const { id, approved } = part.approval;
      await (approved
        ? approvals.approve(id, { by: { id: "ann" } })
        : approvals.deny(id, { by: { id: "ann" } }));
    }
    return respond(loop.resume("run_1"));
  };
}

const respond = (run: Parameters<typeof toUIMessageStream>[0]) =>
  createUIMessageStreamResponse({ stream: toUIMessageStream(run) });

const refund = { name: "refund", arguments: { order: "7" } };

test("the chunks are those of the AI SDK", () => {
  expectTypeOf<UiMessageChunk>().toExtend<UIMessageChunk>();
});

test("a chat shows text, progress, results and failures of a run", async () => {
  const { loop } = desk([
    { text: "I look.", calls: [{ name: "look" }, { name: "photo" }, { name: "fail" }] },
    "There is a door.",
  ]);
  const chat = new Chat(serverOf({ ...desk([]), loop }));
  await chat.sendMessage({ text: "Look." });
  expect(chat.status).toBe("ready");
  expect(chat.messages.at(-1)).toMatchObject({
    role: "assistant",
    metadata: { runId: "run_1" },
    parts: [
      { type: "step-start" },
      { type: "text", text: "I look.", state: "done" },
      { type: "tool-look", state: "output-available", input: {}, output: { seen: 1 } },
      { type: "tool-photo", state: "output-available", output: { content: [{ text: "a door" }, IMAGE] } },
      { type: "tool-fail", state: "output-error", errorText: expect.stringContaining("no such door") },
      { type: "step-start" },
      { type: "text", text: "There is a door." },
    ],
  });
});

test.each([
  ["approved", true, "output-available", [{ order: "7" }]],
  ["denied", false, "output-denied", []],
])("a call that is %s in the chat goes on in the same message", async (_how, approved, state, paid) => {
  const world = desk([{ calls: [refund] }, "Done."]);
  const chat = new Chat(serverOf(world));
  await chat.sendMessage({ text: "Refund order 7." });
  const asked = chat.messages.at(-1)?.parts.find(isToolUIPart);
  expect(asked).toMatchObject({ type: "tool-refund", state: "approval-requested", input: { order: "7" } });
  expect(world.refunded).toEqual([]);
  await chat.addToolApprovalResponse({ id: asked?.approval?.id ?? "", approved });
  await expect.poll(() => chat.messages.at(-1)?.parts.at(-1)).toMatchObject({ type: "text", text: "Done." });
  expect(chat.messages).toHaveLength(2);
  expect(chat.messages.at(-1)?.parts.find(isToolUIPart)).toMatchObject({ type: "tool-refund", state });
  expect(world.refunded).toEqual(paid);
});

/** A model that begins a call and breaks off, then reasons and makes it in pieces. */
const fitful: Script = ({ messages }) => (messages.at(-1)?.role === "tool" ? "Done." : pieces());

let tries = 0;
async function* pieces(): AsyncGenerator<EngineEvent> {
  tries += 1;
  yield { type: "text", text: `Try ${tries}.` };
  yield { type: "tool-call-delta", id: "c1", name: "look", delta: '{"order":' };
  if (tries === 1) throw new ModelFault("overloaded", "busy");
  yield { type: "tool-call-delta", id: "c1", name: "look", delta: '"7"}' };
  yield { type: "reasoning", text: "hm" };
  yield { type: "tool-call", id: "c1", name: "look", arguments: '{"order":"7"}' };
  yield { type: "finish", reason: "tool-calls" };
}

test("what a failed response had said is taken back, and arguments stream in", async () => {
  tries = 0;
  const { loop } = desk(fitful);
  const chat = new Chat(serverOf({ ...desk([]), loop }));
  await chat.sendMessage({ text: "Look." });
  expect(chat.messages.at(-1)?.parts).toMatchObject([
    { type: "step-start" },
    { type: "text", text: "Try 2." },
    { type: "tool-look", state: "output-available", input: { order: "7" } },
    { type: "reasoning", text: "hm" },
    { type: "step-start" },
    { type: "text", text: "Done." },
  ]);
});

test("a failed run is an error that names its code and keeps the message from the user", async () => {
  const failing = desk(() => {
    throw new ModelFault("authentication", "key sk-1234 is wrong");
  });
  const chat = new Chat(serverOf(failing));
  await chat.sendMessage({ text: "Go." });
  expect(chat.status).toBe("error");
  expect(chat.error?.message).toBe("The run failed (ENGINE_FAILED).");
});

test("a run that is over before its stream is read has a start and an end", async () => {
  const { loop } = desk(["Hello."]);
  const run = loop.run("Go.");
  await run.outcome;
  const chunks = [];
  for await (const { type } of toUIMessageStream(run)) chunks.push(type);
  expect(chunks).toEqual(["start", "finish"]);
});

/** What an AG-UI client makes of a run. */
async function agUi({ loop }: ReturnType<typeof desk>, start = () => loop.run("Go.")) {
  const seen: BaseEvent[] = [];
  const fetch = async () => {
    const lines: string[] = [];
    for await (const event of toAgUi(start(), { threadId: "t1", runId: "r1" }))
      lines.push(`data: ${JSON.stringify(event)}\n\n`);
    return new Response(lines.join(""), { headers: { "content-type": "text/event-stream" } });
  };
  const agent = new HttpAgent({ url: "http://desk.example/agent", fetch, threadId: "t1" });
  const { newMessages } = await agent.runAgent(
    { runId: "r1" },
    { onEvent: ({ event }) => void seen.push(event) },
  );
  return { newMessages, seen, types: seen.map(({ type }) => type) };
}

test("a client of AG-UI gets messages, arguments and results", async () => {
  tries = 1;
  const { newMessages, types } = await agUi(desk(fitful));
  expect(newMessages).toMatchObject([
    { role: "assistant", content: "Try 2." },
    { role: "assistant", toolCalls: [{ id: "c1", function: { name: "look", arguments: '{"order":"7"}' } }] },
    { role: "tool", toolCallId: "c1", content: '{"seen":1}' },
    { role: "reasoning", content: "hm" },
    { role: "assistant", content: "Done." },
  ]);
  expect(types.at(-1)).toBe("RUN_FINISHED");
});

test.each(["c1", "c2"])(
  "a client of AG-UI gets a call that was begun, broke off and is made again as %s",
  async (again) => {
    let asked = 0;
    const breaksOff: Script = ({ messages }) => {
      asked += 1;
      if (messages.at(-1)?.role === "tool") return "Done.";
      const id = asked === 1 ? "c1" : again;
      const begun: EngineEvent = { type: "tool-call-delta", id, name: "look", delta: '{"order":"7"}' };
      if (asked === 1) return failing([begun]);
      return [
        begun,
        { type: "tool-call", id, name: "look", arguments: '{"order":"7"}' },
        { type: "finish", reason: "tool-calls" },
      ];
    };
    const { newMessages, types } = await agUi(desk(breaksOff));
    expect(types.at(-1)).toBe("RUN_FINISHED");
    const made = newMessages.findLast((message) => "toolCalls" in message);
    const calls = made !== undefined && "toolCalls" in made ? made.toolCalls : [];
    expect(calls).toMatchObject([{ function: { name: "look", arguments: '{"order":"7"}' } }]);
    expect(newMessages).toContainEqual(expect.objectContaining({ role: "tool", toolCallId: calls?.[0]?.id }));
  },
);

/** A response that ends with a fault that may pass. */
async function* failing(events: readonly EngineEvent[]): AsyncGenerator<EngineEvent> {
  yield* events;
  throw new ModelFault("overloaded", "busy");
}

async function* hanging(isWriting: () => void): AsyncGenerator<EngineEvent> {
  yield { type: "tool-call-delta", id: "c1", name: "look", delta: '{"or' };
  isWriting();
  await new Promise(() => {});
}

test("a run that is aborted while a call is written ends for clients", async () => {
  const start = () => {
    const { promise: isWriting, resolve } = Promise.withResolvers<void>();
    const run = desk(() => hanging(resolve)).loop.run("Go.");
    void isWriting.then(() => run.abort("enough"));
    return run;
  };
  const { types } = await agUi(desk([]), start);
  expect(types.at(-1)).toBe("RUN_FINISHED");
  const chat = new Chat(async () => respond(start()));
  await chat.sendMessage({ text: "Go." });
  const part = chat.messages.at(-1)?.parts.find(isToolUIPart);
  expect(part).toMatchObject({ state: "output-error", errorText: "The call was not made." });
});

test("calls of one response under the same id keep their own arguments", async () => {
  const written = (order: string): EngineEvent[] => [
    { type: "tool-call-delta", id: "c1", name: "look", delta: `{"order":"${order}"}` },
    { type: "tool-call", id: "c1", name: "look", arguments: `{"order":"${order}"}` },
  ];
  const twice: EngineEvent[] = [...written("1"), ...written("2"), { type: "finish", reason: "tool-calls" }];
  const { newMessages } = await agUi(desk([twice, "Done."]));
  const calls = newMessages.flatMap((message) => ("toolCalls" in message ? (message.toolCalls ?? []) : []));
  expect(calls.map(({ function: { arguments: text } }) => text)).toEqual(['{"order":"1"}', '{"order":"2"}']);
});

test("an errorText that throws leaves the stream its end", async () => {
  const { loop } = desk([{ error: new ModelFault("authentication", "key sk-1234 is wrong") }]);
  const errorText = () => {
    throw new Error("no words");
  };
  const chunks = [];
  for await (const chunk of toUIMessageStream(loop.run("Go."), { errorText })) chunks.push(chunk);
  expect(chunks.slice(-2)).toMatchObject([
    { errorText: "The run failed (ENGINE_FAILED)." },
    { type: "finish" },
  ]);
});

test("a suspended run ends with an interrupt that a client of AG-UI can answer", async () => {
  const world = desk([{ calls: [refund] }, "Done."]);
  const { seen } = await agUi(world, () => world.loop.run("Go.", { runId: "run_1" }));
  const outcome = (seen.at(-1) as unknown as { outcome: { interrupts: { id: string }[] } }).outcome;
  expect(outcome).toMatchObject({ type: "interrupt", interrupts: [{ reason: "approval" }] });
  await world.approvals.approve(outcome.interrupts[0]?.id ?? "", { by: { id: "ann" } });
  const { newMessages } = await agUi(world, () => world.loop.resume("run_1"));
  expect(newMessages).toMatchObject([{ role: "tool" }, { role: "assistant", content: "Done." }]);
  expect(world.refunded).toEqual([{ order: "7" }]);
});

test("a failed run is an error of AG-UI", async () => {
  const failing = desk(() => {
    throw new ModelFault("authentication", "key sk-1234 is wrong");
  });
  const types: string[] = [];
  for await (const event of toAgUi(failing.loop.run("Go."))) types.push(event.type);
  expect(types).toEqual(["RUN_STARTED", "STEP_STARTED", "STEP_FINISHED", "RUN_ERROR"]);
});
