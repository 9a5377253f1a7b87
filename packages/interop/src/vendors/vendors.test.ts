import { Executor, MemoryCallStore, Registry, result, tool } from "@toolrig/core";
import { vendorName } from "@toolrig/core/kit";
import { expect, test } from "vitest";
import { anthropic, gemini, openai } from "./vendors.ts";

const PIXEL = "iVBORw0KGgo=";
const text = { type: "string" } as const;

function rigOf() {
  const got: unknown[] = [];
  const store = new MemoryCallStore();
  const save = tool({
    name: "save",
    description: "Save",
    input: {
      type: "object",
      properties: { title: text, tags: { type: "object", additionalProperties: text }, note: text },
      required: ["title"],
    },
    safety: { sideEffects: "write" },
    execute(args) {
      got.push(args);
      return { saved: args.title };
    },
  });
  const draw = tool({
    name: "draw",
    description: "Draw",
    input: { type: "object" },
    safety: { sideEffects: "none" },
    execute: () =>
      result({
        content: [
          { type: "text", text: "a dot" },
          { type: "image", data: PIXEL, mimeType: "image/png" },
        ],
        terminate: true,
      }),
  });
  return { got, store, executor: new Executor({ tools: [save, draw], store }) };
}

function rawOf(store: MemoryCallStore, id: string): unknown {
  return store.records().find(({ callId }) => callId === id)?.rawArguments;
}

async function* streamOf<Event>(events: readonly Event[]): AsyncGenerator<Event> {
  yield* events;
}

test("OpenAI's Responses: arguments in the shape of strict mode come to the tool in its own", async () => {
  const { got, store, executor } = rigOf();
  const loop = openai(executor);
  const save = loop.tools.find(({ name }) => name === "save");
  expect(save).toMatchObject({ strict: true, parameters: { required: ["title", "tags", "note"] } });
  const written = '{"title": "a", "tags": [{"key": "x", "value": "y"}], "note": null}';
  const call = (name: string, args: string, id: string) => ({
    type: "function_call",
    call_id: id,
    name,
    arguments: args,
  });
  const response = {
    status: "completed",
    output: [call("save", written, "c1"), call("draw", "", "c2"), call("sav", "{}", "c3")],
  };
  const [saved, drawn, unknown] = await loop.answer(response);
  expect(saved).toEqual({ type: "function_call_output", call_id: "c1", output: '{"saved":"a"}' });
  expect(drawn?.output).toEqual([
    { type: "input_text", text: "a dot" },
    { type: "input_image", image_url: `data:image/png;base64,${PIXEL}`, detail: "auto" },
  ]);
  expect(unknown?.output).toContain("TOOL_NOT_FOUND");
  expect(got).toEqual([{ title: "a", tags: { x: "y" } }]);
  await executor.drain();
  expect(rawOf(store, "c1")).toBe(written);
  expect(loop.over).toBe(false);
});

test("OpenAI's chat: pictures follow the results, and broken arguments go back whole", async () => {
  const { executor } = rigOf();
  const loop = openai(executor, { api: "chat", strict: false });
  const call = (name: string, args: string) => ({
    id: name,
    type: "function" as const,
    function: { name, arguments: args },
  });
  const message = {
    role: "assistant" as const,
    content: null,
    tool_calls: [call("save", "{title: 'a'}"), call("draw", "{}")],
  };
  const response = { choices: [{ finish_reason: "tool_calls", message }] };
  expect(loop.said(response)[0].tool_calls[0].function.arguments).toBe(
    `{"unparsed_arguments":"{title: 'a'}"}`,
  );
  const answers = await loop.answer(response);
  expect(answers.map(({ role }) => role)).toEqual(["tool", "tool", "user"]);
  expect(answers[0]?.content).toBe('{"saved":"a"}');
});

test("Anthropic: a stream keeps the model's own text, and failures are said to be ones", async () => {
  const { got, store, executor } = rigOf();
  const loop = anthropic(executor);
  const block = (index: number, name: string, text: string) => [
    {
      type: "content_block_start",
      index,
      content_block: { type: "tool_use", id: `t${index}`, name, input: {} },
    },
    { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: text } },
  ];
  const response = await loop.collect(
    streamOf([
      { type: "message_start", message: { role: "assistant", content: [] } },
      ...block(0, "save", "{title: 'a',}"),
      ...block(1, "save", "{}"),
      ...block(2, "draw", "{}"),
      { type: "message_delta", delta: { stop_reason: "tool_use" } },
    ]),
  );
  expect(loop.said(response)[0]?.content[0].input).toEqual({ unparsed_arguments: "{title: 'a',}" });
  const [message] = await loop.answer(response);
  expect(message?.content.map(({ is_error }) => is_error)).toEqual([undefined, true, undefined]);
  expect(message?.content[2]?.content[1]).toMatchObject({
    type: "image",
    source: { media_type: "image/png" },
  });
  expect(got).toEqual([{ title: "a" }]);
  await executor.drain();
  expect(rawOf(store, "t0")).toBe("{title: 'a',}");
});

test("a response that was cut off runs nothing, and its calls are on record", async () => {
  const { got, store, executor } = rigOf();
  const loop = anthropic(executor);
  const content = [{ type: "tool_use", id: "t1", name: "save", input: { title: "half" } }];
  for (const stop_reason of ["max_tokens", null]) {
    const [message] = await loop.answer({ role: "assistant", content, stop_reason });
    expect(message?.content[0]).toMatchObject({ is_error: true });
  }
  await executor.drain();
  expect([got, store.records().length]).toEqual([[], 2]);
});

test("Gemini: one declaration a tool, values instead of texts, and calls without ids", async () => {
  const { got, executor } = rigOf();
  const loop = gemini(executor, { run: "run_1" });
  const [{ functionDeclarations = [] } = {}] = loop.tools;
  expect(functionDeclarations.map(({ name, parameters }) => [name, parameters === undefined])).toEqual([
    ["draw", true],
    ["save", false],
  ]);
  const part = { functionCall: { name: "save", args: { title: "a", tags: [{ key: "x", value: "y" }] } } };
  const response = { candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP" }] };
  for (let time = 0; time < 2; time++) {
    const [message] = await loop.answer(response, { turn: 1 });
    expect(message?.parts).toEqual([
      { functionResponse: { name: "save", response: { result: { saved: "a" } } } },
    ]);
  }
  expect(got).toEqual([{ title: "a", tags: { x: "y" } }]);
  const draw = { functionCall: { name: "draw", args: {} } };
  await loop.answer({ candidates: [{ content: { role: "model", parts: [draw] }, finishReason: "STOP" }] });
  expect(loop.over).toBe(true);
});

test("options that are none are refused", async () => {
  const { executor } = rigOf();
  expect(() => openai(executor, { strickt: true } as never)).toThrow('Did you mean "strict"?');
  expect(() => gemini(executor, { run: { runid: "x" } } as never)).toThrow('Did you mean "runId"?');
  await expect(
    anthropic(executor).answer({ role: "assistant", content: [], stop_reason: null }, { sginal: 1 } as never),
  ).rejects.toThrow('"signal"');
});

test("a tool that has the name under which another was told never takes its calls", async () => {
  const ran: string[] = [];
  const named = (name: string) =>
    tool({
      name,
      description: name,
      input: { type: "object", properties: { to: text } },
      execute: () => ran.push(name),
    });
  const told = vendorName("bank.pay");
  const registry = new Registry([named("bank.pay")]);
  const executor = new Executor({ tools: registry });
  const loops = () => ({
    openai: openai(executor),
    chat: openai(executor, { api: "chat" }),
    anthropic: anthropic(executor),
    gemini: gemini(executor),
  });
  const before = loops();
  for (const loop of Object.values(before)) expect(loop.tools).not.toEqual([]);
  registry.add(named(told), { provider: "elsewhere" });
  const callAll = async ({ openai, chat, anthropic, gemini }: ReturnType<typeof loops>, name: string) => {
    const args = { to: "ann" };
    const call = { type: "function_call", call_id: "1", name, arguments: JSON.stringify(args) };
    const chatCall = { id: "1", type: "function", function: { name, arguments: JSON.stringify(args) } };
    return JSON.stringify([
      await openai.answer({ status: "completed", output: [call] }),
      await chat.answer({ choices: [{ finish_reason: "stop", message: { tool_calls: [chatCall] } }] }),
      await anthropic.answer({
        role: "assistant",
        stop_reason: "tool_use",
        content: [{ type: "tool_use", id: "1", name, input: args }],
      }),
      await gemini.answer({
        candidates: [{ finishReason: "STOP", content: { parts: [{ functionCall: { name, args } }] } }],
      }),
    ]);
  };
  await callAll(before, told);
  await callAll(loops(), told);
  expect(ran).toEqual(Array(8).fill("bank.pay"));
  registry.remove("bank.pay");
  for (const each of [before, loops()])
    expect((await callAll(each, told)).match(/TOOL_NOT_FOUND/g)).toHaveLength(4);
  expect(ran).toHaveLength(8);
  await callAll(loops(), vendorName(told));
  expect(ran.slice(8)).toEqual(Array(4).fill(told));
});
