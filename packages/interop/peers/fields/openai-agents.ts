import {
  Agent,
  type FunctionTool,
  type Model,
  type ModelRequest,
  type ModelResponse,
  RunContext,
  Runner,
  ToolGuardrailFunctionOutputFactory as Say,
  setTracingDisabled,
  tool,
  Usage,
} from "@openai/agents";
import { fromOpenAIAgents, toOpenAIAgentsTools } from "@toolrig/interop/openai-agents";
import { rig } from "toolrig";
import { z } from "zod";
import type { FieldRow, FieldTable, Seen } from "../../../../proofs/interop/field-row.ts";
import { agentsContextFields, agentsFields } from "../../src/openai-agents/fields.ts";

setTracingDisabled(true);

// biome-ignore lint/suspicious/noExplicitAny: tools of any context and parameters
type Tools = FunctionTool<any, any, any>[];
type Wrap = (own: Tools) => Tools | Promise<Tools>;

const parameters = z.object({ city: z.string() });

interface Play {
  /** Argument texts of the calls of the first response. Default: one call about Oslo. */
  calls?: readonly string[];
  context?: object;
  /** What is answered when the run is interrupted. */
  approve?: boolean;
}

/** Answers with calls once, and says "done" from then on. */
class PlayedModel implements Model {
  readonly requests: unknown[] = [];
  #calls: readonly string[] | undefined;

  constructor(calls: readonly string[]) {
    this.#calls = calls;
  }

  async getResponse({ input, tools }: ModelRequest): Promise<ModelResponse> {
    this.requests.push(structuredClone({ input, tools }));
    const calls = this.#calls;
    this.#calls = undefined;
    const output: ModelResponse["output"] =
      calls === undefined
        ? [
            {
              type: "message",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text: "done" }],
            },
          ]
        : calls.map((args, index) => ({
            type: "function_call",
            callId: `c${index}`,
            name: "weather",
            arguments: args,
            status: "completed",
          }));
    return { output, usage: new Usage() };
  }

  // biome-ignore lint/correctness/useYield: not used
  async *getStreamedResponse(): AsyncIterable<never> {
    throw new Error("not streamed");
  }
}

async function play(own: Tools, wrap: Wrap, saw: unknown[], given: Play = {}): Promise<Seen> {
  const { calls = ['{"city":"Oslo"}'], context = { user: "ann" }, approve = true } = given;
  const model = new PlayedModel(calls);
  const events: string[] = [];
  const runner = new Runner({ modelProvider: { getModel: () => model } });
  runner.on("agent_tool_start", (_context, _agent, { name }) => events.push(`start ${name}`));
  runner.on("agent_tool_end", (_context, _agent, { name }, result) =>
    events.push(`end ${name} ${JSON.stringify(result)}`),
  );
  const agent = new Agent({ name: "a", model: "m", tools: await wrap(own) });
  const ui: unknown[] = [];
  try {
    let result = await runner.run(agent, "Go.", { context });
    while (result.interruptions.length > 0) {
      for (const item of result.interruptions) {
        ui.push(["asked", item.name, item.arguments]);
        if (approve) result.state.approve(item);
        else result.state.reject(item, { message: "no, thanks" });
      }
      result = await runner.run(agent, result.state);
    }
    const { newItems, toolInputGuardrailResults, toolOutputGuardrailResults } = result;
    for (const item of newItems) ui.push(structuredClone(plain(item.toJSON())));
    ui.push(result.finalOutput, plain([toolInputGuardrailResults, toolOutputGuardrailResults]));
  } catch (error) {
    ui.push(["ended", (error as Error).name, (error as Error).message]);
  }
  return { tool: saw, model: model.requests, ui, events };
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

// biome-ignore lint/suspicious/noExplicitAny: the SDK types each by the parameters of the tool
type Fn = (...given: any[]) => any;

interface Options {
  execute?: Fn;
  errorFunction?: Fn;
  needsApproval?: boolean | Fn;
  timeoutErrorFunction?: Fn;
  isEnabled?: Fn;
  customDataExtractor?: Fn;
  inputGuardrails?: { name: string; run: Fn }[];
  outputGuardrails?: { name: string; run: Fn }[];
  [other: string]: unknown;
}

/** A row of a tool with these options. */
function row(shows: readonly string[], options: (saw: unknown[]) => Options, given?: Play, what?: string) {
  const run = (wrap: Wrap) => {
    const saw: unknown[] = [];
    const own = tool({
      name: "weather",
      description: "The weather in a city",
      parameters,
      execute: (args: unknown) => {
        saw.push(args);
        return { rain: true };
      },
      ...options(saw),
    } as never);
    return play([own] as Tools, wrap, saw, given);
  };
  return { shows, run, ...(what !== undefined && { what }) } satisfies FieldRow<Tools>;
}

const throwing = async () => {
  throw new Error("it is under water");
};

const rows: FieldRow<Tools>[] = [
  row(
    ["tool.type", "tool.name", "tool.description", "tool.parameters", "tool.strict", "tool.invoke"],
    () => ({}),
  ),
  row(["tool.providerData", "tool.allowedCallers"], () => ({
    providerData: { cache: "short" },
    allowedCallers: ["direct"],
  })),
  row(["tool.deferLoading"], () => ({ deferLoading: true })),
  row(["tool.outputSchema"], () => ({ outputSchema: z.object({ rain: z.boolean() }) })),
  row(["tool.errorFunction"], (saw) => ({
    execute: throwing,
    errorFunction: (context, error) => {
      saw.push((context.context as { user: string }).user, (error as Error).message);
      return "try another city";
    },
  })),
  row(["tool.errorFunction"], () => ({ execute: throwing }), {}, "its default"),
  row(["tool.needsApproval"], () => ({ needsApproval: true })),
  row(["tool.needsApproval"], () => ({ needsApproval: true }), { approve: false }, "rejected"),
  row(
    ["tool.needsApproval"],
    (saw) => ({
      needsApproval: async ({ context }, input, callId) => {
        // Asked again when the call goes on.
        if (saw.length === 0) saw.push(["asked", context, input, callId]);
        return (context as { user: string }).user === "ann";
      },
    }),
    {},
    "by the context",
  ),
  row(["tool.timeoutMs"], () => ({ timeoutMs: 20, execute: () => new Promise(() => {}) })),
  row(["tool.timeoutBehavior"], () => ({
    timeoutMs: 20,
    timeoutBehavior: "raise_exception",
    execute: () => new Promise(() => {}),
  })),
  row(["tool.timeoutErrorFunction"], () => ({
    timeoutMs: 20,
    timeoutErrorFunction: ({ context }) => `${(context as { user: string }).user} has waited`,
    execute: () => new Promise(() => {}),
  })),
  row(["tool.isEnabled"], () => ({
    isEnabled: ({ runContext }) =>
      runContext.context !== undefined && (runContext.context as { user?: string }).user === "ann",
  })),
  row(
    ["tool.isEnabled"],
    () => ({ isEnabled: ({ runContext }) => (runContext.context as { user?: string }).user === "bob" }),
    { calls: [] },
    "not for this user",
  ),
  ...guardrails(),
  row(["tool.customDataExtractor"], () => ({
    customDataExtractor: ({ input, output }) => ({ input, output }),
  })),
  row(["context.context", "context.usage", "context.toolCall", "context.signal"], (saw) => ({
    execute: (args, context, details) => {
      saw.push(args, context?.context, context?.usage, details?.toolCall, details?.signal?.aborted ?? false);
      return "seen";
    },
  })),
  row(
    [
      "context.toolInput",
      "context.getRejectionMessage",
      "context.toJSON",
      "context.isToolApproved",
      "context.approveTool",
      "context.rejectTool",
      "context.resumeState",
      "context.parentRunConfig",
    ],
    (saw) => ({
      execute: (_args, context, details) => {
        saw.push(
          context instanceof RunContext,
          context?.toolInput ?? null,
          context?.getRejectionMessage("weather", "c0") ?? null,
          context?.toJSON(),
          context?.isToolApproved({ toolName: "weather", callId: "c0" }) ?? null,
          typeof context?.approveTool,
          typeof context?.rejectTool,
          details?.resumeState ?? null,
          details?.parentRunConfig ?? null,
        );
        return "seen";
      },
    }),
    {},
    "the run context is the SDK's own",
  ),
  ...["{city: 'Oslo',}", "", "not JSON"].map((text) =>
    row(["tool.parameters"], () => ({}), { calls: [text] }, `arguments ${JSON.stringify(text)}`),
  ),
];

function guardrails(): FieldRow<Tools>[] {
  const names = ["allow", "rejectContent", "throwException"] as const;
  return names.flatMap((name) => {
    const say = () =>
      name === "rejectContent" ? Say.rejectContent("not that city") : Say[name]({ by: "ann" });
    return [
      row(
        ["tool.inputGuardrails"],
        (saw) => ({
          inputGuardrails: [
            {
              name: "in",
              run: async ({ context, agent, toolCall }) => {
                saw.push(["in", context.context, agent.name, toolCall.arguments]);
                return say();
              },
            },
          ],
        }),
        {},
        name,
      ),
      row(
        ["tool.outputGuardrails"],
        (saw) => ({
          outputGuardrails: [
            {
              name: "out",
              run: async ({ context, output }) => {
                saw.push(["out", context.context, output]);
                return say();
              },
            },
          ],
        }),
        {},
        name,
      ),
    ];
  });
}

export const table: FieldTable<Tools> = {
  peer: "OpenAI Agents",
  version: "@openai/agents 0.20.0",
  fields: { tool: agentsFields, context: agentsContextFields },
  rows,
  beneath(own) {
    const { close: _, ...beneath } = rig({
      tools: own.map((each) => fromOpenAIAgents(each)),
      store: ":memory:",
    });
    return toOpenAIAgentsTools(beneath) as Tools;
  },
};
