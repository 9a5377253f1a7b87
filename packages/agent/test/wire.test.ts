import { tool } from "@toolrig/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { AgentLoop, aiSdkEngine, type LoopEvent, StructuredLoop } from "../src/index.ts";
import type { Said } from "./wire/format.ts";
import { wireServer } from "./wire/server.ts";
import { VENDOR_NAMES, VENDORS, type VendorName } from "./wire/vendors.ts";

let server: Awaited<ReturnType<typeof wireServer>>;
beforeAll(async () => {
  server = await wireServer();
});
afterAll(() => server.close());

const both = VENDOR_NAMES.flatMap((name) => [[name, true] as const, [name, false] as const]);

const notes: string[] = [];
const note = tool({
  name: "note",
  description: "Write a note",
  input: z.object({ text: z.string(), times: z.number().int().optional() }),
  safety: { sideEffects: "none" },
  execute({ text }) {
    notes.push(text);
    return { noted: text };
  },
});

const fetch = tool({
  name: "fetch",
  description: "Fetch a page",
  input: z.object({ n: z.number().int() }),
  safety: { sideEffects: "none" },
  execute: ({ n }) => `${n} ${HARD}`.padEnd(4_000, "🦦"),
});

/** Text that is hard to cut: multi-byte characters, surrogate pairs, quotes, escapes, newlines. */
const HARD = 'naïve 🦦 "quoted" \\ back\nnew\tline \u2028 日本語 👩‍👩‍👧';
const call = (id: string, text = HARD) => ({ id, name: "note", arguments: JSON.stringify({ text }) });
const turns: Said[] = [
  { text: `I note: ${HARD}`, calls: [call("call_a"), call("call_b", "second")] },
  { text: `Done. ${HARD}` },
];

async function converse(
  provider: VendorName,
  streaming: boolean,
  replies: Parameters<typeof server.play>[0],
  cutEvery = 5,
) {
  server.play(replies, { cutEvery });
  notes.length = 0;
  const engine = aiSdkEngine(VENDORS[provider](server.origin), { streaming });
  const retry = { attempts: 2, backoff: 0 };
  const run = new AgentLoop({ engine, tools: [note], system: "Be brief.", retry }).run("Go.");
  const events: LoopEvent[] = [];
  for await (const event of run) events.push(event);
  return { outcome: await run.outcome, events };
}

describe.each(both)("%s, streaming %s", (provider, streaming) => {
  test("text, parallel calls and results go back and forth", async () => {
    const { outcome, events } = await converse(provider, streaming, turns);
    expect(outcome).toMatchObject({ status: "answered", text: turns[1]!.text, turns: 2, calls: 2 });
    expect(notes).toEqual([HARD, "second"]);
    expect(outcome.usage.inputTokens).toBe(22);
    expect(outcome.usage.outputTokens).toBe(14);
    const text = events
      .map((event) => (event.type === "text" && event.turn === 2 ? event.text : ""))
      .join("");
    expect(text).toBe(turns[1]!.text);
    const [first, second] = server.received;
    expect(JSON.stringify(first!.body)).toContain("Be brief.");
    expect(JSON.stringify(first!.body)).toContain("Write a note");
    const sentBack = JSON.stringify(second!.body);
    expect(sentBack).toContain("noted");
    if (provider !== "google")
      for (const id of ["call_a", "call_b"]) expect(sentBack.split(`"${id}"`)).toHaveLength(3);
  });

  test("a response that is cut off does not run its calls", async () => {
    const { outcome } = await converse(provider, streaming, [{ ...turns[0]!, cut: true }, turns[1]!]);
    expect(notes).toEqual([]);
    expect(outcome.status).toBe("answered");
    expect(JSON.stringify(outcome.messages[2])).toContain("cut off");
  });

  test("an overloaded server is asked again, one that refuses is not", async () => {
    const overloaded = {
      status: 529,
      body: { error: { type: "overloaded_error", message: "Overloaded" } },
      headers: { "retry-after": "0" },
    };
    const { outcome, events } = await converse(provider, streaming, [overloaded, turns[1]!]);
    expect(outcome.status).toBe("answered");
    expect(events.find((event) => event.type === "model.retry")).toMatchObject({ kind: "overloaded" });
    const refused = { status: 401, body: { error: { type: "authentication_error", message: "bad key" } } };
    const { outcome: failed } = await converse(provider, streaming, [refused, turns[1]!]);
    expect(failed).toMatchObject({
      status: "failed",
      error: { code: "ENGINE_FAILED", fault: "authentication" },
    });
  });

  test("results that are trimmed stay beside their calls, and what is sent only grows between cuts", async () => {
    const fetching = (turn: number): Said => ({
      reasoning: "Let me look.",
      calls: [
        { id: `call_${turn}a`, name: "fetch", arguments: `{"n": ${turn}}` },
        { id: `call_${turn}b`, name: "note", arguments: '{"text": "x"}' },
      ],
    });
    server.play([...[1, 2, 3, 4, 5, 6, 7].map(fetching), turns[1]!]);
    const engine = aiSdkEngine(VENDORS[provider](server.origin), { streaming });
    const trimResults = { keepTurns: 1, everyTurns: 2, savingAtLeast: 0 };
    const loop = new AgentLoop({ engine, tools: [fetch, note], trimResults, repeats: false });
    const { status, trimmed } = await loop.run("Go.").outcome;
    expect({ status, results: trimmed?.results }).toEqual({ status: "answered", results: 6 });
    const sent = server.received.map(({ body }) =>
      (body.messages ?? body.input ?? body.contents).map((each: unknown) => JSON.stringify(each)),
    );
    expect(sent).toHaveLength(8);
    const grows = sent.map((now, index) =>
      (sent[index - 1] ?? []).every((each: string, place: number) => now[place] === each),
    );
    expect(grows).toEqual([true, true, true, false, true, false, true, false]);
    expect(sent[7]!.join("").split("are left out; read_result reads them")).toHaveLength(7);
  });

  test("a structured answer is asked for in the provider's way", async () => {
    server.play([{ text: '{"city": "Rome", "note": "warm"}' }]);
    const engine = aiSdkEngine(VENDORS[provider](server.origin), { streaming });
    const schema = z.object({ city: z.string(), note: z.string().optional() });
    const outcome = await new StructuredLoop({ engine, schema }).run("Where?").outcome;
    expect(outcome).toMatchObject({ status: "answered", value: { city: "Rome", note: "warm" } });
  });
});

describe.each(VENDOR_NAMES)("%s, streaming", (provider) => {
  test.each([1, 2, 3, 7, 64, 100_000])("bytes cut every %i", async (cutEvery) => {
    const { outcome } = await converse(provider, true, turns, cutEvery);
    expect(outcome.text).toBe(turns[1]!.text);
    expect(notes).toEqual([HARD, "second"]);
  });

  test("an error frame in the middle is a fault, and what was streamed is void", async () => {
    const broken: Said = { text: "I was abo", error: { type: "overloaded_error", message: "Overloaded" } };
    const { outcome, events } = await converse(provider, true, [broken, turns[1]!]);
    expect(outcome).toMatchObject({ status: "answered", text: turns[1]!.text });
    expect(outcome.messages).toHaveLength(2);
    expect(events.filter((event) => event.type === "model.retry")).toHaveLength(1);
  });

  test("a stream that breaks off runs nothing", async () => {
    const { outcome } = await converse(provider, true, [{ ...turns[0]!, breaksOff: true }, turns[1]!]);
    expect(notes).toEqual([]);
    expect(outcome).toMatchObject({ status: "answered" });
  });
});

describe.each([true, false])("what a provider attached goes back to it, streaming %s", (streaming) => {
  const thinking: Said = { reasoning: "Let me think.", ...turns[0]! };

  test("anthropic: thinking with its signature", async () => {
    await converse("anthropic", streaming, [thinking, turns[1]!]);
    const assistant = server.received[1]!.body.messages.find(
      (message: { role: string }) => message.role === "assistant",
    );
    expect(assistant.content[0]).toMatchObject({
      type: "thinking",
      thinking: "Let me think.",
      signature: "signed",
    });
  });

  test("openai responses: the ids of reasoning and text", async () => {
    await converse("openai responses", streaming, [thinking, turns[1]!]);
    const input = JSON.stringify(server.received[1]!.body.input);
    for (const id of ["rs_1", "msg_1"]) expect(input).toContain(id);
  });

  test("google: the signature of a thought", async () => {
    await converse("google", streaming, [turns[0]!, turns[1]!]);
    expect(JSON.stringify(server.received[1]!.body)).toContain("signed");
  });
});

describe("arguments that are not JSON", () => {
  test.each(["openai chat", "openai-compatible", "openai responses", "mistral"] as const)(
    "%s: reach the decoder as they were written",
    async (provider) => {
      const mangled = "{text: 'mangled', times: \"2\",}";
      const { outcome } = await converse(provider, true, [
        { calls: [{ id: "c", name: "note", arguments: mangled }] },
        turns[1]!,
      ]);
      expect(notes).toEqual(["mangled"]);
      expect(outcome.messages[1]).toMatchObject({ content: [{ arguments: mangled }] });
    },
  );

  test("are sent back in a form that the provider takes", async () => {
    const { outcome } = await converse("openai chat", true, [
      { calls: [{ id: "c", name: "note", arguments: "no json at all" }] },
      turns[1]!,
    ]);
    expect(outcome.status).toBe("answered");
    const sent = server.received[1]!.body.messages.find(
      (message: { tool_calls?: unknown }) => message.tool_calls,
    );
    expect(() => JSON.parse(sent.tool_calls[0].function.arguments)).not.toThrow();
  });
});
