/** Responses that are not as the vendor's documentation has them: restored ones, and those of servers that speak like OpenAI. */
import { Executor, MemoryCallStore, tool } from "@toolrig/core";
import { describe, expect, test } from "vitest";
import { anthropic, gemini, openai } from "./vendors.ts";

function bank() {
  const ran: unknown[] = [];
  const store = new MemoryCallStore();
  const pay = tool({
    name: "pay",
    description: "Pay somebody",
    input: { type: "object", properties: { to: { type: "string" }, amount: { type: "number" } } },
    safety: { sideEffects: "external" },
    execute: ({ to = "nobody" }) => ran.push(to),
  });
  const sync = tool({
    name: "sync",
    description: "Synchronise",
    input: { type: "object" },
    execute: () => ran.push("sync"),
  });
  return { ran, store, executor: new Executor({ tools: [pay, sync], store }) };
}

async function* streamOf(events: readonly unknown[]): AsyncGenerator<never> {
  for (const event of events) yield event as never;
}

const restored = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));

describe("a response that was stored and restored", () => {
  const events = (text: string) =>
    streamOf([
      { type: "message_start", message: { role: "assistant", content: [] } },
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "tool_use", id: "t", name: "pay", input: {} },
      },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: text } },
      { type: "message_delta", delta: { stop_reason: "tool_use" } },
    ]);

  test.each(['{"to": "ann\'s acc', '{"to": "ann", "amount": 1', '{"to": "ann" "amount": 5}', "{to: 'ann',}"])(
    "of Anthropic does with %s what it did before",
    async (text) => {
      const outcomes = await Promise.all(
        [(response: unknown) => response, restored].map(async (kept) => {
          const { ran, store, executor } = bank();
          const loop = anthropic(executor);
          const response = await loop.collect(events(text));
          await loop.answer(kept(response) as typeof response);
          await executor.drain();
          const [record] = store.records();
          return { ran, raw: record?.rawArguments, decoded: record?.result.decoded };
        }),
      );
      expect(outcomes[1]).toEqual(outcomes[0]);
      expect(outcomes[0]?.raw).toBe(text);
    },
  );

  test("of OpenAI, from what it said in the conversation, does not run on a guess", async () => {
    const { ran, executor } = bank();
    const broken = '{"to": "ann\'s acc';
    const chat = openai(executor, { api: "chat" });
    const call = { id: "c", type: "function", function: { name: "pay", arguments: broken } };
    const [message] = chat.said({
      choices: [{ finish_reason: "tool_calls", message: { tool_calls: [call] } }],
    });
    await chat.answer({ choices: [{ finish_reason: "tool_calls", message: restored(message) }] });
    const responses = openai(executor);
    const item = { type: "function_call", call_id: "r", name: "pay", arguments: broken };
    await responses.answer({ output: restored(responses.said({ output: [item] })) });
    expect(ran).toEqual([]);
  });

  test("that somebody edited runs what it says now", async () => {
    const { ran, executor } = bank();
    const loop = anthropic(executor);
    const response = await loop.collect(events('{"to":"ann"}'));
    response.content[0].input.to = "bob";
    await loop.answer(response);
    expect(ran).toEqual(["bob"]);
  });
});

test("an item that is incomplete runs nothing, whatever is said of the whole", async () => {
  const { ran, executor } = bank();
  const item = (status: string) => ({
    type: "function_call",
    status,
    call_id: status,
    name: "pay",
    arguments: "",
  });
  for (const status of ["incomplete", "in_progress"])
    for (const whole of [{}, { status: "completed" }]) {
      const [answer] = await openai(executor).answer({ ...whole, output: [item(status)] });
      expect(answer?.output).toContain(`cut off (${status})`);
    }
  expect(ran).toEqual([]);
  await openai(executor).answer({ output: [item("completed")] });
  expect(ran).toEqual(["nobody"]);
});

describe("what is no response of the vendor is refused, with what to do", () => {
  const call = { id: "c", name: "pay" };
  const responses = {
    output: { output: [{ type: "function_call", call_id: "c", name: "pay", arguments: "{}" }] },
    choices: { choices: [{ message: { role: "assistant", tool_calls: [{ ...call, function: call }] } }] },
    content: { role: "assistant", content: [{ type: "tool_use", ...call, input: {} }] },
    candidates: { candidates: [{ content: { parts: [{ functionCall: call }] } }] },
  };
  const loops = {
    output: { use: "rig.openai()", make: (executor: Executor) => openai(executor) },
    choices: {
      use: 'rig.openai({ api: "chat" })',
      make: (executor: Executor) => openai(executor, { api: "chat" }),
    },
    content: { use: "rig.anthropic()", make: (executor: Executor) => anthropic(executor) },
    candidates: { use: "rig.gemini()", make: (executor: Executor) => gemini(executor) },
  };

  test.each(Object.keys(loops) as (keyof typeof loops)[])("known by %s", async (own) => {
    const { ran, executor } = bank();
    const loop = loops[own].make(executor);
    const refused = async (given: unknown, what: string) => {
      const error = { code: "OPTION_INVALID", message: expect.stringContaining(what) };
      await expect(loop.answer(given as never)).rejects.toMatchObject(error);
      expect(() => loop.said(given as never)).toThrow(expect.objectContaining(error));
    };
    for (const [field, response] of Object.entries(responses))
      if (field !== own) await refused(response, `use ${loops[field as keyof typeof loops].use}.`);
    await refused(undefined, "got undefined");
    await refused(null, "got null");
    await refused(JSON.stringify(responses[own]), "parse it first");
    await refused(responses.output.output, "give the whole response");
    await refused(Promise.resolve(responses[own]), "await it first");
    await refused(streamOf([]), "collect(stream)");
    await refused(new Response("{}").body, "collect(stream)");
    await refused(new Response("{}"), "await response.json()");
    await refused(responses.choices.choices[0]?.message, '"tool_calls"');
    expect(ran).toEqual([]);
  });
});

test("a response with nothing in it, and the body of an error, have no calls", async () => {
  const { executor } = bank();
  const odd: unknown[] = [
    {},
    { error: { message: "overloaded" } },
    { object: "error", message: "overloaded" },
  ];
  const ofVendors = [
    { loop: openai(executor), more: [{ output: null }, { output: [null] }] },
    {
      loop: openai(executor, { api: "chat" }),
      more: [{ choices: null }, { choices: [] }, { choices: [{ message: null }] }],
    },
    { loop: anthropic(executor), more: [{ content: "hi" }, { content: null }, { content: [null] }] },
    {
      loop: gemini(executor),
      more: [{ candidates: null }, { candidates: [{ content: { parts: [null] } }] }],
    },
  ];
  for (const { loop, more } of ofVendors)
    for (const response of [...odd, ...more]) {
      expect(await loop.answer(response as never)).toEqual([]);
      expect(loop.said(response as never).length).toBeLessThan(2);
    }
});

describe("a server that speaks like OpenAI", () => {
  const answering = (calls: unknown, finish = "tool_calls") => ({
    choices: [{ finish_reason: finish, message: { role: "assistant", content: "hi", tool_calls: calls } }],
  });
  const call = (args: unknown, more: object = {}) => ({
    id: "c",
    type: "function",
    function: { name: "pay", arguments: args },
    ...more,
  });

  test("may send null for no calls, and it does not come back", () => {
    const loop = openai(bank().executor, { api: "chat" });
    expect(loop.said(answering(null, "stop"))).toEqual([{ role: "assistant", content: "hi" }]);
  });

  test("may leave out the type; what has no function is answered", async () => {
    const { ran, executor } = bank();
    const loop = openai(executor, { api: "chat" });
    await loop.answer(answering([call('{"to":"ann"}', { type: undefined })]));
    expect(ran).toEqual(["ann"]);
    const [answer] = await loop.answer(answering([{ id: "x", type: "function" }]));
    expect(answer).toMatchObject({ tool_call_id: "x", content: expect.stringContaining("TOOL_NOT_FOUND") });
    expect(await loop.answer(answering([{ id: "x", type: "custom", custom: {} }]))).toEqual([]);
  });

  test("may send empty ids: calls under them are calls of their own", async () => {
    const { ran, executor } = bank();
    const loop = openai(executor, { api: "chat" });
    const twice = answering([call('{"to":"ann"}', { id: "" }), call('{"to":"ann"}', { id: "" })]);
    await loop.answer(twice);
    await loop.answer(twice);
    expect(ran).toHaveLength(4);
  });

  test("that sends no arguments at all runs only what takes none", async () => {
    const { ran, executor } = bank();
    const loop = openai(executor, { api: "chat" });
    const [paid] = await loop.answer(answering([call(undefined)]));
    expect(paid?.content).toContain("came without arguments");
    await loop.answer(answering([call(undefined, { id: "s", function: { name: "sync" } })]));
    await anthropic(executor).answer({
      role: "assistant",
      stop_reason: "tool_use",
      content: [{ type: "tool_use", id: "a", name: "pay" }],
    });
    expect(ran).toEqual(["sync"]);
    await loop.answer(answering([call("", { id: "e" })]));
    expect(ran).toEqual(["sync", "nobody"]);
  });

  test.each([
    ["no index", [[{ id: "a" }, { id: "b" }]]],
    ["index 0 for all", [[{ index: 0, id: "a" }], [{ index: 0, id: "b" }]]],
    ["no ids", [[{ index: 0 }], [{ index: 1 }]]],
  ])("may stream calls with %s", async (_, chunks) => {
    const { ran, executor } = bank();
    const loop = openai(executor, { api: "chat" });
    let count = 0;
    const events = chunks.flatMap((parts) => [
      { usage: {} },
      { choices: [{ delta: null }] },
      {
        choices: [
          {
            delta: {
              tool_calls: parts.map((part) => ({
                ...part,
                function: { name: "pay", arguments: `{"to":"${++count}"}` },
              })),
            },
          },
        ],
      },
    ]);
    const end = { choices: [{ delta: { tool_calls: null }, finish_reason: "tool_calls" }] };
    await loop.answer(await loop.collect(streamOf([...events, end])));
    expect(ran).toEqual(["1", "2"]);
  });

  test("may give the name with every part", async () => {
    const { ran, executor } = bank();
    const loop = openai(executor, { api: "chat" });
    const part = (args: string) => ({
      choices: [
        { delta: { tool_calls: [{ index: 0, id: "a", function: { name: "pay", arguments: args } }] } },
      ],
    });
    const end = { choices: [{ finish_reason: "tool_calls" }] };
    await loop.answer(await loop.collect(streamOf([part('{"to"'), part(':"ann"}'), end])));
    expect(ran).toEqual(["ann"]);
  });
});

test("a part of a stream whose block never began is nobody's call", async () => {
  const { ran, executor } = bank();
  const loop = anthropic(executor);
  const part = { type: "input_json_delta", partial_json: "{}" };
  const events = [
    { type: "content_block_delta", index: 0, delta: part },
    { type: "message_delta", delta: { stop_reason: "tool_use" } },
  ];
  expect(await loop.answer(await loop.collect(streamOf(events)))).toEqual([]);
  expect(ran).toEqual([]);
});
