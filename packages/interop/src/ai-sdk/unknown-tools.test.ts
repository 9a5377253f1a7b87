import { createOpenAI } from "@ai-sdk/openai";
import { Executor, MemoryCallStore, tool } from "@toolrig/core";
import { generateText, isStepCount, streamText, wrapLanguageModel } from "ai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wireServer } from "../../../agent/test/wire/server.ts";
import { repairToolCall, rigMiddleware, toAiSdkTools } from "./index.ts";

let server: Awaited<ReturnType<typeof wireServer>>;
beforeAll(async () => {
  server = await wireServer();
});
afterAll(() => server.close());

const input = { type: "object" } as const;
const broken = tool({
  name: "broken",
  description: "Fails",
  input,
  execute() {
    throw new Error("Model tried to call unavailable tool 'broken'");
  },
});
const greet = tool({ name: "greet", description: "Greet", input, execute: () => "hello" });
const called = (name: string, id: string) => ({ id, name, arguments: "{}" });

/** What the model was sent as results of tools in its last two requests. */
const sent = () =>
  server.received
    .slice(-2)
    .map(({ body }) =>
      body.messages
        .filter(({ role }: { role: string }) => role === "tool")
        .map(({ content }: { content: string }) => content),
    );

test.each(["middleware", "repair"])(
  "by %s a model is told the names near to one that nobody has",
  async (by) => {
    for (const streamed of [false, true]) {
      const store = new MemoryCallStore();
      const executor = new Executor({ tools: [broken, greet], store });
      const tools = toAiSdkTools(executor);
      const model = createOpenAI({ baseURL: `${server.origin}/v1`, apiKey: "none" }).chat("m");
      server.play([
        { calls: [called("gret", "c1"), called("broken", "c2")] },
        { calls: [called("greet", "c3")] },
        { text: "Done." },
      ]);
      const asked = {
        model: by === "repair" ? model : wrapLanguageModel({ model, middleware: rigMiddleware(tools) }),
        ...(by === "repair" && { experimental_repairToolCall: repairToolCall(tools) }),
        tools,
        stopWhen: isStepCount(5),
        prompt: "Go.",
      };
      expect(streamed ? await streamText(asked).text : (await generateText(asked)).text).toBe("Done.");
      const [first, second] = sent();
      expect(first[0]).toContain("Did you mean greet?");
      expect(JSON.parse(first[1]).error).toMatch(
        /^Error \(TOOL_EXECUTION_FAILED\): .*unavailable tool 'broken'/,
      );
      expect(second).toEqual([...first, "hello"]);
      await executor.drain();
      const codes = store.records().map(({ name, result }) => [name, result.failure?.code]);
      expect(codes.sort()).toEqual([
        ["broken", "TOOL_EXECUTION_FAILED"],
        ["greet", undefined],
        ["gret", "TOOL_NOT_FOUND"],
      ]);
    }
  },
);
