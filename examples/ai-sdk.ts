/**
 * The AI SDK's own loop, with a rig beneath it.
 *
 *     npm run example ai-sdk
 *
 * The line that lists the tools is the one that changes. The model is scripted; a real one is `openai("gpt-5")` of @ai-sdk/openai, or
 * any other of the AI SDK. It writes broken JSON, and the service is busy at first. You see the answer stream in, and what was done:
 *
 *     It rains in Oslo, 7 degrees.
 *
 *     get_weather {city: 'Oslo'}: repaired, ok after 2 attempts
 */
import { rigMiddleware, toAiSdkTools } from "@toolrig/interop/ai-sdk";
import { isStepCount, simulateReadableStream, streamText, tool, wrapLanguageModel } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { fromAiSdk, rig, transient } from "toolrig";
import { z } from "zod";

let requests = 0;
const weather = tool({
  description: "Get the weather of a city",
  inputSchema: z.object({ city: z.string() }),
  async execute({ city }) {
    requests += 1;
    if (requests === 1) throw transient("the weather service is busy");
    return { city, sky: "rain", degrees: 7 };
  },
});

// `tools: { get_weather: weather }` would do; that it may be tried again is what the AI SDK has no word for.
const safety = { sideEffects: "read", idempotent: true } as const;
const desk = rig({ tools: [fromAiSdk("get_weather", weather, { safety })], store: ":memory:" });
const tools = toAiSdkTools(desk);

const { textStream } = streamText({
  // The middleware sees what the AI SDK does not hand to tools: the arguments as the model wrote them.
  model: wrapLanguageModel({ model: scriptedModel(), middleware: rigMiddleware(tools) }),
  tools,
  stopWhen: isStepCount(5),
  prompt: "How is the weather in Oslo?",
});
for await (const text of textStream) process.stdout.write(text);

await desk.executor.flush();
for (const { name, rawArguments, result } of desk.store.records.all()) {
  const { decoded, attempts, failure } = result;
  console.log(
    `\n\n${name} ${rawArguments}: ${decoded.mode}, ${failure?.code ?? "ok"} after ${attempts} attempts`,
  );
}
await desk.close();

/** Calls the tool, then answers word by word. */
function scriptedModel(): MockLanguageModelV4 {
  type Part =
    Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"] extends ReadableStream<infer P>
      ? P
      : never;
  const end = (unified: "tool-calls" | "stop"): Part => ({
    type: "finish",
    finishReason: { unified, raw: unified },
    usage: {
      inputTokens: { total: 9, noCache: 9, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 9, text: 9, reasoning: 0 },
    },
  });
  const words = ["It ", "rains ", "in ", "Oslo, ", "7 ", "degrees."];
  const turns: Part[][] = [
    [
      { type: "tool-call", toolCallId: "call_1", toolName: "get_weather", input: "{city: 'Oslo'}" },
      end("tool-calls"),
    ],
    [
      { type: "text-start", id: "1" },
      ...words.map((delta): Part => ({ type: "text-delta", id: "1", delta })),
      { type: "text-end", id: "1" },
      end("stop"),
    ],
  ];
  const streams = turns.map((chunks) => ({ stream: simulateReadableStream({ chunks, chunkDelayInMs: 40 }) }));
  return new MockLanguageModelV4({ doStream: streams });
}
