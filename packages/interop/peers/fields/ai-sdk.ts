import { toAiSdkTools } from "@toolrig/interop/ai-sdk";
import {
  convertToModelMessages,
  dynamicTool,
  isStepCount,
  type ModelMessage,
  readUIMessageStream,
  streamText,
  type Tool,
  type ToolSet,
  tool,
  type UIMessage,
} from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { rig } from "toolrig";
import { z } from "zod";
import type { FieldRow, FieldTable, Seen } from "../../../../proofs/interop/field-row.ts";
import { aiSdkContextFields, aiSdkFields } from "../../../core/src/tool/ai-sdk-fields.ts";

type Wrap = (own: ToolSet) => ToolSet | Promise<ToolSet>;

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** A model that makes one call, and says "done" from then on. */
function played(requests: unknown[], toolName: string): MockLanguageModelV4 {
  let turn = 0;
  return new MockLanguageModelV4({
    doStream: async ({ prompt, tools }) => {
      requests.push(plain({ prompt, tools }));
      const isFirst = turn++ === 0;
      const parts = isFirst
        ? [
            { type: "tool-input-start", id: "c1", toolName },
            { type: "tool-input-delta", id: "c1", delta: '{"city":' },
            { type: "tool-input-delta", id: "c1", delta: '"Oslo"}' },
            { type: "tool-input-end", id: "c1" },
            { type: "tool-call", toolCallId: "c1", toolName, input: '{"city":"Oslo"}' },
          ]
        : [
            { type: "text-start", id: "t" },
            { type: "text-delta", id: "t", delta: "done" },
            { type: "text-end", id: "t" },
          ];
      const finishReason = { unified: isFirst ? "tool-calls" : "stop", raw: undefined };
      const all = [{ type: "stream-start", warnings: [] }, ...parts, { type: "finish", finishReason, usage }];
      return {
        stream: new ReadableStream({
          start(controller) {
            for (const part of all) controller.enqueue(part as never);
            controller.close();
          },
        }),
      };
    },
  });
}

/** Without what is made anew each time. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (key, each) =>
      /^(id|messageId|approvalId|callId)$/.test(key) ? undefined : each,
    ),
  );
}

async function play(
  own: Tool,
  wrap: Wrap,
  saw: unknown[],
  { answers = [] as boolean[] } = {},
): Promise<Seen> {
  const requests: unknown[] = [];
  const ui: unknown[] = [];
  const events: unknown[] = [];
  const tools = await wrap({ weather: own });
  const model = played(requests, "weather");
  const messages: ModelMessage[] = [{ role: "user", content: "Go." }];
  const left = [...answers];
  for (;;) {
    const result = streamText({
      model,
      tools,
      messages: [...messages],
      stopWhen: isStepCount(4),
      toolsContext: { weather: { user: "ann" } } as never,
      onError: () => {},
    });
    for await (const part of result.fullStream) {
      events.push(part.type);
      if (part.type.startsWith("tool")) ui.push(plain(part));
    }
    let last: UIMessage | undefined;
    const stream = result.toUIMessageStream();
    for await (const message of readUIMessageStream({ stream })) last = message;
    ui.push(plain(last?.parts));
    // A chat that was stored: what its model is told when it goes on.
    const stored = JSON.parse(JSON.stringify([last])) as UIMessage[];
    ui.push(plain(await convertToModelMessages(stored, { tools })));
    messages.push(...(await result.response).messages);
    const asked = (await result.content).filter((part) => part.type === "tool-approval-request");
    if (asked.length === 0 || left.length === 0) break;
    const approved = left.shift() === true;
    messages.push({
      role: "tool",
      content: asked.map(({ approvalId }) => ({ type: "tool-approval-response", approvalId, approved })),
    });
  }
  return { tool: plain(saw), model: requests, ui, events };
}

// biome-ignore lint/suspicious/noExplicitAny: the AI SDK types it by the schemas of each tool
type Fn = (...given: any[]) => any;

function row(
  shows: readonly string[],
  make: (saw: unknown[]) => { execute?: Fn; [field: string]: unknown },
  { what, answers, dynamic = false }: { what?: string; answers?: boolean[]; dynamic?: boolean } = {},
): FieldRow<ToolSet> {
  const run = (wrap: Wrap) => {
    const saw: unknown[] = [];
    const spec = {
      description: "The weather in a city",
      inputSchema: z.object({ city: z.string() }),
      execute: (args: unknown) => {
        saw.push(args);
        return { city: "Oslo", deg: 21 };
      },
      ...make(saw),
    };
    const own = dynamic ? dynamicTool(spec as never) : tool(spec as never);
    return play(own as Tool, wrap, saw, answers === undefined ? {} : { answers });
  };
  return { shows, run, ...(what !== undefined && { what }) };
}

const rows: FieldRow<ToolSet>[] = [
  row(["tool.description", "tool.inputSchema", "tool.execute"], () => ({})),
  row(["tool.execute"], () => ({ execute: () => "Rain" }), { what: "text" }),
  row(["tool.execute"], () => ({ execute: () => undefined }), { what: "nothing" }),
  row(["tool.execute"], () => ({ execute: () => [1, { a: null }] }), { what: "a list" }),
  row(
    ["tool.execute"],
    () => ({
      execute: async function* () {
        yield { far: 1 };
        yield { far: 2 };
      },
    }),
    { what: "a generator" },
  ),
  row(
    ["tool.description"],
    () => ({ description: ({ context }: { context?: { user: string } }) => `For ${context?.user}` }),
    {
      what: "of the context",
    },
  ),
  row(["tool.type"], () => ({}), { dynamic: true, what: "a dynamic tool" }),
  row(["tool.id", "tool.args", "tool.isProviderExecuted"], () => ({
    type: "provider",
    id: "local.weather",
    args: { unit: "C" },
    isProviderExecuted: false,
    description: undefined,
  })),
  row(["tool.title", "tool.metadata"], () => ({ title: "Weather", metadata: { source: "mcp" } })),
  row(["tool.providerOptions", "tool.strict", "tool.inputExamples"], () => ({
    providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
    strict: true,
    inputExamples: [{ input: { city: "Bergen" } }],
  })),
  row(["tool.deferLoading"], () => ({ deferLoading: true })),
  row(["tool.outputSchema"], () => ({ outputSchema: z.object({ city: z.string(), deg: z.number() }) })),
  row(["tool.contextSchema", "context.context"], (saw) => ({
    contextSchema: z.object({ user: z.string() }),
    execute: (_args, { context }) => {
      saw.push(context);
      return "seen";
    },
  })),
  row(["tool.toModelOutput"], () => ({
    toModelOutput: ({ output }: { output: { deg: number } }) => ({
      type: "text",
      value: `WEATHER ${output.deg}`,
    }),
  })),
  row(
    ["tool.toModelOutput"],
    () => ({ toModelOutput: () => ({ type: "error-text", value: "no weather" }) }),
    { what: "an error" },
  ),
  row(
    ["tool.toModelOutput"],
    () => ({
      toModelOutput: () => ({
        type: "content",
        value: [
          { type: "text", text: "a picture" },
          { type: "file", mediaType: "image/png", data: { type: "data", data: "aGk=" } },
        ],
      }),
    }),
    { what: "content" },
  ),
  row(["tool.onInputStart", "tool.onInputDelta", "tool.onInputAvailable"], (saw) => ({
    onInputStart: ({ toolCallId, context }: { toolCallId: string; context: unknown }) =>
      void saw.push(["start", toolCallId, context]),
    onInputDelta: ({ inputTextDelta }: { inputTextDelta: string }) =>
      void saw.push(["delta", inputTextDelta]),
    onInputAvailable: ({ input }: { input: unknown }) => void saw.push(["input", input]),
  })),
  row(["tool.needsApproval"], () => ({ needsApproval: true }), { answers: [true] }),
  row(["tool.needsApproval"], () => ({ needsApproval: true }), { answers: [false], what: "denied" }),
  row(
    ["tool.needsApproval"],
    (saw) => ({
      needsApproval: (
        input: unknown,
        {
          toolCallId,
          messages,
          context,
        }: { toolCallId: string; messages: unknown[]; context: { user: string } },
      ) => {
        if (saw.length === 0) saw.push(input, toolCallId, messages.length, context);
        return context.user === "ann";
      },
    }),
    { answers: [true], what: "by the context" },
  ),
  row(
    ["context.toolCallId", "context.messages", "context.abortSignal", "context.experimental_sandbox"],
    (saw) => ({
      execute: (_args, { toolCallId, messages, abortSignal, experimental_sandbox }) => {
        saw.push(toolCallId, messages, abortSignal?.aborted ?? false, experimental_sandbox ?? null);
        return "seen";
      },
    }),
  ),
];

export const table: FieldTable<ToolSet> = {
  peer: "AI SDK",
  version: "ai 7.0.169",
  fields: { tool: aiSdkFields, context: aiSdkContextFields },
  rows,
  beneath(own) {
    const { close: _, ...beneath } = rig({ tools: own as never, store: ":memory:" });
    return toAiSdkTools(beneath);
  },
};
