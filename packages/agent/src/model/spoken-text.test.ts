import { tool } from "@toolrig/core";
import { families } from "@toolrig/extract";
import { describe, expect, test } from "vitest";
import { AgentLoop } from "../loop/loop.ts";
import type { EngineEvent } from "./engine.ts";
import { SpokenText } from "./spoken-text.ts";

const search = tool({
  name: "search",
  description: "Search",
  input: { type: "object", properties: { query: { type: "string" } } },
  safety: { sideEffects: "read", idempotent: true },
  execute: () => "found",
});

/** Plays one list of events a response. */
function playing(...responses: EngineEvent[][]) {
  return {
    name: "playing",
    async *stream() {
      yield* responses.shift() ?? [text("Done."), stop];
    },
  };
}

const stop: EngineEvent = { type: "finish", reason: "stop" };

function text(piece: string): EngineEvent {
  return { type: "text", text: piece };
}

/** The pieces of the text events of the first turn. */
async function heard(events: EngineEvent[], options: object = {}): Promise<string[]> {
  const run = new AgentLoop({ engine: playing(events), tools: [search], ...options }).run("go");
  const pieces: string[] = [];
  for await (const event of run) if (event.type === "text" && event.turn === 1) pieces.push(event.text);
  return pieces;
}

describe("text events", () => {
  test.each(families.map(({ name, example }) => [name, example] as const))(
    "do not show the markup of a call that was found: %s",
    async (family, example) => {
      const events = [...example].map(text);
      expect((await heard([...events, stop], { extract: { family } })).join("").trim()).toBe("");
    },
  );

  test("come as the text comes", async () => {
    expect(await heard([text("Hello "), text("there. "), text("a < b"), stop])).toEqual([
      "Hello ",
      "there. ",
      "a < b",
    ]);
  });

  test("have what stands around a call, and the rest of a message after it at its end", async () => {
    const call = '<tool_call>{"name": "search", "arguments": {}}</tool_call>';
    expect(await heard([text("Hm. <to"), text(call.slice(3)), text("\nSo."), text("."), stop])).toEqual([
      "Hm. ",
      "\nSo..",
    ]);
  });

  test("have everything that turns out to be text", async () => {
    const events = [text("See <tool_"), text('call>{"name": "nothing"}'), text("</tool_call> here"), stop];
    expect((await heard(events)).join("")).toBe('See <tool_call>{"name": "nothing"}</tool_call> here');
  });

  test("have a call as text when the response has calls of its own, before those", async () => {
    const written = '<tool_call>{"name": "search", "arguments": {}}</tool_call>';
    const own: EngineEvent = { type: "tool-call", id: "a", name: "search", arguments: "{}" };
    const run = new AgentLoop({ engine: playing([text(written), own, stop]), tools: [search] }).run("go");
    const order: string[] = [];
    for await (const event of run) {
      if (event.type === "text" && event.turn === 1) order.push(event.text);
      if (event.type === "call.start") order.push(event.type);
    }
    expect(order).toEqual([written, "call.start"]);
  });

  test("have what was held back when a run is aborted, as the transcript does", async () => {
    const engine = {
      name: "stuck",
      async *stream(): AsyncGenerator<EngineEvent> {
        yield text("Hm. ");
        yield text("<tool_call>{");
        await new Promise(() => {});
      },
    };
    const run = new AgentLoop({ engine, tools: [search] }).run("go");
    const pieces: string[] = [];
    for await (const event of run) {
      if (event.type !== "text") continue;
      pieces.push(event.text);
      setTimeout(() => run.abort(), 20);
    }
    expect(pieces.join("")).toBe("Hm. <tool_call>{");
    expect((await run.outcome).messages.at(-1)).toMatchObject({ content: [{ text: "Hm. <tool_call>{" }] });
  });

  test("show markup when extraction is off", async () => {
    const written = '<tool_call>{"name": "search", "arguments": {}}</tool_call>';
    expect(await heard([text(written), stop], { extract: false })).toEqual([written]);
  });
});

test("no more than a limit is held back", () => {
  const pieces: string[] = [];
  const tools = [{ name: "search", description: "", inputSchema: {} }];
  const spoken = new SpokenText((piece) => pieces.push(piece), { family: undefined, trust: false }, tools);
  const long = `<tool_call>{"name": "search", "arguments": {"a": "${"x".repeat(300_000)}`;
  for (let at = 0; at < long.length; at += 1_000) spoken.add(long.slice(at, at + 1_000));
  expect(pieces.join("").length).toBeGreaterThan(262_144);
  spoken.end();
  expect(pieces.join("")).toBe(long);
});
