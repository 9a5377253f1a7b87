import { Agent, type AgentEvent, type AgentTool } from "@earendil-works/pi-agent-core";
import {
  type AssistantMessage,
  type Context,
  createAssistantMessageEventStream,
  Type,
} from "@earendil-works/pi-ai";
import { fromPi, toPiTools } from "@toolrig/interop/pi";
import { rig } from "toolrig";
import type { FieldRow, FieldTable, Seen } from "../../../../proofs/interop/field-row.ts";
import { piContextFields, piFields, piResultFields } from "../../src/pi/fields.ts";

type Tools = AgentTool[];
type Wrap = (own: Tools) => Tools | Promise<Tools>;

const model = {
  id: "m",
  name: "m",
  api: "played",
  provider: "local",
  baseUrl: "",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 100_000,
  maxTokens: 1_000,
};

const usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** Makes calls of the tool in the first response, and says "done" from then on. */
function played(requests: unknown[], calls: readonly object[]) {
  let turn = 0;
  return (_model: unknown, { messages, tools = [] }: Context) => {
    const shown = tools.map(({ name, description, parameters, constrainedSampling }) => ({
      name,
      description,
      parameters,
      constrainedSampling,
    }));
    requests.push(plain({ tools: shown, messages }));
    const isFirst = turn++ === 0;
    const message = {
      role: "assistant",
      content: isFirst
        ? calls.map((args, index) => ({
            type: "toolCall",
            id: `c${index}`,
            name: "weather",
            arguments: args,
          }))
        : [{ type: "text", text: "done" }],
      api: "played",
      provider: "local",
      model: "m",
      usage,
      stopReason: isFirst ? "toolUse" : "stop",
      timestamp: 0,
    } as AssistantMessage;
    const stream = createAssistantMessageEventStream();
    queueMicrotask(() => {
      stream.push({ type: "start", partial: message });
      stream.push({ type: "done", reason: isFirst ? "toolUse" : "stop", message } as never);
    });
    return stream;
  };
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null, (key, each) => (key === "timestamp" ? undefined : each)));
}

async function play(own: Tools, wrap: Wrap, saw: unknown[], calls: readonly object[]): Promise<Seen> {
  const requests: unknown[] = [];
  const events: unknown[] = [];
  const agent = new Agent({
    initialState: { model: model as never, systemPrompt: "", tools: await wrap(own) },
    streamFn: played(requests, calls) as never,
    getApiKey: () => "none",
  });
  agent.subscribe((event: AgentEvent) => {
    if (event.type.startsWith("tool_execution")) events.push(plain(event));
  });
  await agent.prompt("Go.");
  const shown = agent.state.tools.map(({ name, label, description, replay, executionMode }) => ({
    name,
    label,
    description,
    replay,
    executionMode,
  }));
  return { tool: plain(saw), model: requests, ui: plain([shown, agent.state.messages]), events };
}

function row(
  shows: readonly string[],
  make: (saw: unknown[]) => Partial<AgentTool>,
  { what, calls = [{ city: "Oslo" }] }: { what?: string; calls?: readonly object[] } = {},
): FieldRow<Tools> {
  const run = (wrap: Wrap) => {
    const saw: unknown[] = [];
    const tool: AgentTool = {
      name: "weather",
      label: "Weather",
      description: "The weather in a city",
      parameters: Type.Object({ city: Type.String() }) as never,
      execute: async (_id, args) => {
        saw.push(args);
        return { content: [{ type: "text", text: "Rain" }], details: undefined };
      },
      ...make(saw),
    };
    return play([tool], wrap, saw, calls);
  };
  return { shows, run, ...(what !== undefined && { what }) };
}

const text = (said: string) => [{ type: "text" as const, text: said }];

const rows: FieldRow<Tools>[] = [
  row(["tool.name", "tool.label", "tool.description", "tool.parameters", "tool.execute"], () => ({})),
  row(
    ["tool.prepareArguments"],
    (saw) => ({
      prepareArguments: (args) => {
        saw.push(args);
        return { city: (args as { town: string }).town } as never;
      },
    }),
    { calls: [{ town: "Bergen" }] },
  ),
  row(["tool.constrainedSampling"], () => ({ constrainedSampling: false })),
  row(["tool.replay"], () => ({ replay: "safe" })),
  row(
    ["tool.executionMode"],
    (saw) => {
      let running = 0;
      return {
        executionMode: "sequential",
        execute: async () => {
          running += 1;
          saw.push(running);
          await new Promise((resolve) => setImmediate(resolve));
          running -= 1;
          return { content: text("Rain"), details: undefined };
        },
      };
    },
    { calls: [{ city: "Oslo" }, { city: "Bergen" }, { city: "Bodø" }] },
  ),
  row(["context.toolCallId", "context.params", "context.signal"], (saw) => ({
    execute: async (id, params, signal) => {
      saw.push(id, params, signal?.aborted);
      return { content: text("Rain"), details: undefined };
    },
  })),
  row(["context.onUpdate"], () => ({
    execute: async (_id, _params, _signal, onUpdate) => {
      onUpdate?.({ content: text("looking"), details: { far: 1 } });
      return { content: text("Rain"), details: { far: 2 } };
    },
  })),
  row(
    ["result.content"],
    () => ({
      execute: async () => ({
        content: [...text("Rain"), { type: "image" as const, data: "aGk=", mimeType: "image/png" }],
        details: undefined,
      }),
    }),
    { what: "with a picture" },
  ),
  row(["result.details", "result.usage"], () => ({
    execute: async () => ({ content: text("Rain"), details: { mm: 4, days: ["Monday"] }, usage }),
  })),
  row(["result.terminate"], () => ({
    execute: async () => ({ content: text("Rain"), details: undefined, terminate: true }),
  })),
];

export const table: FieldTable<Tools> = {
  peer: "pi",
  version: "@earendil-works/pi-agent-core 0.87.1",
  fields: { tool: piFields, context: piContextFields, result: piResultFields },
  rows,
  beneath(own) {
    const { close: _, ...beneath } = rig({ tools: own.map((each) => fromPi(each)), store: ":memory:" });
    return toPiTools(beneath) as Tools;
  },
};
