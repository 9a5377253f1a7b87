import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { RequestContext } from "@mastra/core/request-context";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { fromMastra, toMastraTools } from "@toolrig/interop/mastra";
import { rig } from "toolrig";
import { z } from "zod";
import type { FieldRow, FieldTable, Seen } from "../../../../proofs/interop/field-row.ts";
import { mastraContextFields, mastraFields } from "../../src/mastra/fields.ts";

// biome-ignore lint/suspicious/noExplicitAny: tools of any schemas
type Tools = Record<string, any>;
type Wrap = (own: Tools) => Tools | Promise<Tools>;

/** A model of the AI SDK that makes one call, and says "done" from then on. */
function played(requests: unknown[]) {
  let turn = 0;
  const partsOf = ({ tools, prompt }: { tools?: unknown; prompt: unknown }) => {
    requests.push(plain({ tools, prompt }));
    return turn++ === 0
      ? [{ type: "tool-call", toolCallId: "c1", toolName: "weather", input: '{"city":"Oslo"}' }]
      : [{ type: "text", id: "t", text: "done" }];
  };
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  const reasonOf = ([part]: { type: string }[]) => (part?.type === "text" ? "stop" : "tool-calls");
  return {
    specificationVersion: "v2" as const,
    provider: "played",
    modelId: "m",
    supportedUrls: {},
    async doGenerate(options: { tools?: unknown; prompt: unknown }) {
      const content = partsOf(options);
      return { content, finishReason: reasonOf(content), usage, warnings: [] };
    },
    async doStream(options: { tools?: unknown; prompt: unknown }) {
      const content = partsOf(options);
      const parts = content.flatMap((part) => {
        if (part.type !== "text")
          return [
            { type: "tool-input-start", id: "c1", toolName: "weather" },
            { type: "tool-input-delta", id: "c1", delta: '{"city":' },
            { type: "tool-input-delta", id: "c1", delta: '"Oslo"}' },
            { type: "tool-input-end", id: "c1" },
            part,
          ];
        return [
          { type: "text-start", id: "t" },
          { type: "text-delta", id: "t", delta: "done" },
          { type: "text-end", id: "t" },
        ];
      });
      const stream = new ReadableStream({
        start(controller) {
          controller.enqueue({ type: "stream-start", warnings: [] });
          for (const part of parts) controller.enqueue(part);
          controller.enqueue({ type: "finish", finishReason: reasonOf(content), usage });
          controller.close();
        },
      });
      return { stream };
    },
  };
}

/** Without what is made anew each time, and what is not written. */
function plain(value: unknown): unknown {
  const made = new Set(["runId", "messageId", "timestamp", "createdAt", "id", "traceId", "spanId"]);
  const seen = new WeakSet<object>();
  return JSON.parse(
    JSON.stringify(value ?? null, (key, each) => {
      if (made.has(key)) return undefined;
      if (typeof each === "function") return "a function";
      if (typeof each !== "object" || each === null) return each;
      if (seen.has(each) && key !== "args" && key !== "input") return undefined;
      seen.add(each);
      return each;
    }),
  );
}

async function play(own: Tools, wrap: Wrap, saw: unknown[], decide: readonly unknown[] = []): Promise<Seen> {
  const requests: unknown[] = [];
  const events: unknown[] = [];
  const ui: unknown[] = [];
  const agent = new Agent({
    id: "a",
    name: "a",
    instructions: "You are brief.",
    model: played(requests) as never,
    tools: await wrap(own),
  });
  new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false });
  const requestContext = new RequestContext([["user", "ann"]]);
  const options = { requestContext, maxSteps: 4, memory: { thread: "t1", resource: "r1" } };
  const answers = [...decide];
  let stream = await agent.stream("Go.", options as never);
  for (;;) {
    for await (const chunk of stream.fullStream) {
      const { type, payload } = chunk as { type: string; payload?: object };
      events.push(type);
      if (type.startsWith("tool-")) ui.push(plain([type, payload]));
    }
    const asked = await stream.suspendPayload;
    if (asked === undefined || answers.length === 0) break;
    const answer = answers.shift();
    if (answer === "approve")
      stream = (await agent.approveToolCall({
        runId: stream.runId,
        toolCallId: "c1",
        ...options,
      } as never)) as never;
    else stream = (await agent.resumeStream(answer, { ...options, runId: stream.runId } as never)) as never;
  }
  ui.push(await stream.text);
  return { tool: plain(saw), model: requests, ui, events };
}

type Options = Partial<Parameters<typeof createTool>[0]>;

function row(
  shows: readonly string[],
  make: (saw: unknown[]) => object,
  { what, decide }: { what?: string; decide?: readonly unknown[] } = {},
): FieldRow<Tools> {
  const run = (wrap: Wrap) => {
    const saw: unknown[] = [];
    const own = createTool({
      id: "weather",
      description: "The weather in a city",
      inputSchema: z.object({ city: z.string() }),
      execute: async (args: unknown) => {
        saw.push(args);
        return { city: "Oslo", deg: 21 };
      },
      ...make(saw),
    } as Options as never);
    return play({ weather: own }, wrap, saw, decide);
  };
  return { shows, run, ...(what !== undefined && { what }) };
}

// biome-ignore lint/suspicious/noExplicitAny: Mastra types it by the schemas of each tool
type Context = any;

const rows: FieldRow<Tools>[] = [
  row(["tool.id", "tool.description", "tool.inputSchema", "tool.execute"], () => ({})),
  row(["tool.execute"], () => ({ execute: async () => "Rain" }), { what: "text" }),
  row(["tool.title", "tool.mcp", "tool.mcpMetadata"], () => ({
    title: "Weather",
    mcp: { annotations: { readOnlyHint: true } },
    mcpMetadata: { serverName: "s", serverVersion: "1" },
  })),
  row(["tool.outputSchema"], () => ({ outputSchema: z.object({ city: z.string(), deg: z.number() }) })),
  row(["tool.strict", "tool.providerOptions", "tool.inputExamples"], () => ({
    strict: true,
    providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
    inputExamples: [{ input: { city: "Bergen" } }],
  })),
  row(["tool.requestContextSchema"], (saw) => ({
    requestContextSchema: z.object({ user: z.string() }),
    execute: async (_args: unknown, { requestContext }: Context) => {
      saw.push(requestContext.get("user"));
      return "seen";
    },
  })),
  row(["tool.toModelOutput"], () => ({
    toModelOutput: ({ deg }: { deg: number }) => ({ type: "text", value: `WEATHER ${deg}` }),
  })),
  row(["tool.transform"], () => ({
    transform: { display: { output: () => ({ hidden: true }) } },
  })),
  row(["tool.onInputStart", "tool.onInputDelta", "tool.onInputAvailable", "tool.onOutput"], (saw) => ({
    onInputStart: ({ toolCallId }: Context) => void saw.push(["start", toolCallId]),
    onInputDelta: ({ inputTextDelta }: Context) => void saw.push(["delta", inputTextDelta]),
    onInputAvailable: ({ input }: Context) => void saw.push(["input", input]),
    onOutput: ({ output, toolName }: Context) => void saw.push(["output", output, toolName]),
  })),
  row(["tool.requireApproval"], () => ({ requireApproval: true }), { decide: ["approve"] }),
  row(
    ["tool.needsApprovalFn"],
    (saw) => ({
      requireApproval: (args: unknown, { requestContext }: Context) => {
        saw.push(args, requestContext?.user);
        return requestContext?.user === "ann";
      },
    }),
    { decide: ["approve"], what: "by the request context" },
  ),
  row(["tool.background"], () => ({ background: { enabled: false } })),
  row(
    [
      "tool.suspendSchema",
      "tool.resumeSchema",
      "context.suspend",
      "context.resumeData",
      "context.suspendPayload",
      "context.agent",
    ],
    (saw) => ({
      suspendSchema: z.object({ question: z.string() }),
      resumeSchema: z.object({ guests: z.number() }),
      execute: async (_args: unknown, { agent }: Context) => {
        saw.push(
          agent.toolCallId,
          agent.messages.length,
          agent.resumeData ?? null,
          agent.suspendPayload ?? null,
        );
        if (agent.resumeData === undefined) return agent.suspend({ question: "For how many?" });
        return `a table for ${agent.resumeData.guests}`;
      },
    }),
    { what: "suspended and resumed", decide: [{ guests: 4 }] },
  ),
  row(
    [
      "context.mastra",
      "context.requestContext",
      "context.abortSignal",
      "context.actor",
      "context.workspace",
      "context.browser",
      "context.workflow",
      "context.mcp",
      "context.background",
      "context.observe",
      "context.tracing",
      "context.tracingContext",
      "context.loggerVNext",
      "context.metrics",
    ],
    (saw) => ({
      execute: async (_args: unknown, context: Context) => {
        const {
          mastra,
          requestContext,
          abortSignal,
          observe,
          tracing,
          tracingContext,
          loggerVNext,
          metrics,
        } = context;
        const { actor, workspace, browser, workflow, mcp, background } = context;
        saw.push(typeof mastra?.getStorage, requestContext.get("user"), abortSignal?.aborted ?? false);
        saw.push(
          actor ?? null,
          workspace ?? null,
          browser ?? null,
          workflow ?? null,
          mcp ?? null,
          background ?? null,
        );
        saw.push(
          Object.keys(observe),
          typeof tracing,
          typeof tracingContext,
          typeof loggerVNext,
          typeof metrics,
        );
        saw.push(
          Object.keys(context)
            .filter((key) => context[key] !== undefined)
            .sort(),
        );
        return observe.span("looked", async () => "seen");
      },
    }),
  ),
  row(["context.writer"], () => ({
    execute: async (_args: unknown, { writer }: Context) => {
      await writer.write({ looking: true });
      await writer.custom({ type: "data-far", data: { far: 1 } });
      return "seen";
    },
  })),
];

export const table: FieldTable<Tools> = {
  peer: "Mastra",
  version: "@mastra/core 1.71.0",
  fields: { tool: mastraFields, context: mastraContextFields },
  rows,
  beneath(own) {
    const { close: _, ...beneath } = rig({
      tools: Object.values(own).map((each) => fromMastra(each)),
      store: ":memory:",
    });
    return toMastraTools(beneath);
  },
};
