import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import type { Runnable } from "@langchain/core/runnables";
import { StructuredTool, type StructuredToolInterface, tool } from "@langchain/core/tools";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import {
  Annotation,
  Command,
  InMemoryStore,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
} from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { fromLangChain, toLangChainTools } from "@toolrig/interop/langchain";
import { rig } from "toolrig";
import { z } from "zod";
import type { FieldRow, FieldTable, Seen } from "../../../../proofs/interop/field-row.ts";
import { langChainContextFields, langChainFields } from "../../src/langchain/fields.ts";

type Tools = StructuredToolInterface[];
type Wrap = (own: Tools) => Tools | Promise<Tools>;

/** Makes one call of a tool, and says "done" from then on. */
class PlayedModel extends BaseChatModel {
  readonly requests: unknown[] = [];
  #tools: unknown[] = [];

  constructor() {
    super({});
  }

  _llmType(): string {
    return "played";
  }

  override bindTools(tools: never[]): Runnable<never, never> {
    this.#tools = tools.map((each: StructuredToolInterface) => [
      convertToOpenAITool(each),
      each.extras ?? null,
    ]);
    return this as never;
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    this.requests.push(plain({ tools: this.#tools, messages: messages.map(shown) }));
    const isFirst = !messages.some((message) => message.getType() === "tool");
    const message = isFirst
      ? new AIMessage({
          id: "ai1",
          content: "",
          tool_calls: [{ id: "c1", name: "weather", args: { city: "Oslo" }, type: "tool_call" }],
        })
      : new AIMessage({ id: "ai2", content: "done" });
    return { generations: [{ text: "", message }] };
  }
}

/** A message without what is made anew each time. */
function shown(message: BaseMessage): unknown {
  const { content, name, tool_call_id, status, artifact, metadata } = message as ToolMessage;
  return { type: message.getType(), content, name, tool_call_id, status, artifact, metadata };
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}

/** Hears of tools. */
class Heard extends BaseCallbackHandler {
  override readonly name = "heard";
  override readonly awaitHandlers = true;
  readonly events: unknown[];

  constructor(events: unknown[]) {
    super();
    this.events = events;
  }

  override handleToolStart(
    serialized: object,
    input: string,
    _runId: string,
    _parent?: string,
    tags?: string[],
    metadata: Record<string, unknown> = {},
    runName?: string,
    toolCallId?: string,
  ): void {
    const own = Object.entries(metadata).filter(([key]) => !/^(langgraph|thread|checkpoint|__)/.test(key));
    this.events.push(plain(["start", serialized, input, tags, own, runName, toolCallId]));
  }

  override handleToolEnd(output: BaseMessage): void {
    this.events.push(plain(["end", output instanceof ToolMessage ? shown(output) : output]));
  }

  override handleToolEvent(chunk: unknown): void {
    this.events.push(plain(["event", chunk]));
  }
}

const State = Annotation.Root({ ...MessagesAnnotation.spec, lang: Annotation<string>() });

async function play(own: Tools, wrap: Wrap, saw: unknown[]): Promise<Seen> {
  const model = new PlayedModel();
  const events: unknown[] = [];
  const ui: unknown[] = [];
  const store = new InMemoryStore();
  await store.put(["users"], "ann", { likes: "rain" });
  const agent = createReactAgent({
    llm: model,
    tools: await wrap(own),
    checkpointer: new MemorySaver(),
    stateSchema: State,
    store,
  });
  const config = {
    configurable: { thread_id: "t", user: "ann" },
    context: { tenant: "acme" },
    recursionLimit: 20,
    tags: ["run-tag"],
    metadata: { of: "run" },
    callbacks: [new Heard(events)],
    streamMode: ["values", "custom"] as never,
  };
  let input: unknown = { messages: [new HumanMessage({ id: "h1", content: "Go." })], lang: "en" };
  for (;;) {
    let last: { messages: BaseMessage[]; lang?: string; __interrupt__?: { value: unknown }[] } | undefined;
    for await (const [mode, value] of (await agent.stream(input as never, config)) as AsyncIterable<
      [string, never]
    >) {
      if (mode === "custom") ui.push(plain(["custom", value]));
      else last = value;
    }
    const [asked] = last?.__interrupt__ ?? [];
    if (asked === undefined) {
      ui.push(plain([last?.lang, last?.messages.map(shown)]));
      return { tool: plain(saw), model: model.requests, ui, events };
    }
    ui.push(plain(["interrupt", asked.value]));
    input = new Command({ resume: "yes" });
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tools of any schema and config
type Fn = (args: any, config: any) => unknown;

function row(
  shows: readonly string[],
  make: (saw: unknown[]) => { execute?: Fn; fields?: object },
  what?: string,
): FieldRow<Tools> {
  const run = (wrap: Wrap) => {
    const saw: unknown[] = [];
    const raining: Fn = (args) => {
      saw.push(args);
      return "Rain";
    };
    const { execute = raining, fields = {} } = make(saw);
    const own = tool(execute as never, {
      name: "weather",
      description: "The weather in a city",
      schema: z.object({ city: z.string() }),
      ...fields,
    });
    return play([own as never], wrap, saw);
  };
  return { shows, run, ...(what !== undefined && { what }) };
}

/** A tool that is a class of its own. */
class Umbrella extends StructuredTool {
  override name = "weather";
  override description = "The weather in a city";
  override schema = z.object({ city: z.string() });
  readonly key = "k1";

  protected override async _call({ city }: { city: string }): Promise<string> {
    return `${city} with ${this.key}`;
  }
}

const rows: FieldRow<Tools>[] = [
  row(["tool.name", "tool.description", "tool.schema", "tool.func"], () => ({})),
  {
    shows: ["tool.func"],
    what: "a class of its own",
    run: (wrap) => play([new Umbrella() as never], wrap, []),
  },
  row(["tool.func"], () => ({ execute: () => ({ rain: true, mm: 4 }) }), "an object"),
  row(
    ["tool.func"],
    () => ({
      execute: () => [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
    }),
    "blocks",
  ),
  row(
    ["tool.func"],
    () => ({
      execute: async function* () {
        yield { looked: 1 };
        return "Rain";
      },
    }),
    "a generator",
  ),
  row(["tool.returnDirect"], () => ({ fields: { returnDirect: true } })),
  row(["tool.responseFormat"], () => ({
    execute: () => ["Rain", { mm: 4 }],
    fields: { responseFormat: "content_and_artifact" },
  })),
  row(["tool.extras"], () => ({ fields: { extras: { cache_control: { type: "ephemeral" } } } })),
  row(["tool.defaultConfig"], () => ({ fields: { defaultConfig: { tags: ["by default"] } } })),
  row(["tool.tags", "tool.metadata"], () => ({ fields: { tags: ["wet"], metadata: { of: "tool" } } })),
  row(["tool.callbacks"], (saw) => ({ fields: { callbacks: [new Heard(saw)] } })),
  {
    shows: ["tool.verbose"],
    async run(wrap) {
      const said: unknown[] = [];
      const { log } = console;
      console.log = (...lines) => void said.push(String(lines[0]).replaceAll(/\d+ms/g, ""));
      try {
        return await row([], () => ({ fields: { verbose: true } }))
          .run(wrap)
          .then((seen) => ({ ...seen, ui: [seen.ui, said] }));
      } finally {
        console.log = log;
      }
    },
  },
  row(
    [
      "context.configurable",
      "context.recursionLimit",
      "context.maxConcurrency",
      "context.timeout",
      "context.runName",
      "context.runId",
      "context.tags",
      "context.metadata",
      "context.toolCallId",
      "context.toolCall",
      "context.context",
      "context.config",
      "context.signal",
    ],
    (saw) => ({
      execute: (_args, config) => {
        const { configurable, recursionLimit, maxConcurrency, timeout, runName, runId, tags, metadata } =
          config;
        saw.push(
          configurable.user,
          configurable.thread_id,
          recursionLimit,
          maxConcurrency,
          timeout,
          runName,
          runId,
          tags,
        );
        saw.push(
          metadata.of,
          config.toolCallId,
          config.toolCall,
          config.context,
          config.config.configurable.user,
        );
        saw.push(config.signal?.aborted ?? false);
        return "seen";
      },
    }),
  ),
  row(["context.state", "context.store"], (saw) => ({
    execute: async (_args, { state, store }) => {
      saw.push(state.lang, state.messages.map(shown), (await store.get(["users"], "ann"))?.value);
      await store.put(["users"], "ann", { likes: "sun" });
      saw.push((await store.get(["users"], "ann"))?.value);
      return "seen";
    },
  })),
  row(["context.writer"], () => ({
    execute: (_args, { writer }) => {
      writer({ looking: true });
      return "seen";
    },
  })),
  row(
    ["context.callbacks"],
    () => ({
      execute: async ({ city }, config) => {
        const inner = tool(() => "inner", {
          name: "inner",
          description: "Inner",
          schema: z.object({ city: z.string() }),
        });
        return inner.invoke({ city }, { callbacks: config.callbacks });
      },
    }),
    "what the tool runs is heard of",
  ),
  row(
    ["context.state"],
    () => ({
      execute: (_args, { toolCallId }) =>
        new Command({
          update: {
            lang: "nb",
            messages: [
              new ToolMessage({
                id: "t1",
                content: "language set",
                tool_call_id: toolCallId,
                name: "weather",
              }),
            ],
          },
        }),
    }),
    "a Command that changes it",
  ),
  row(
    ["context.state"],
    () => ({
      execute: (_args, { toolCallId }) =>
        new Command({
          goto: "__end__",
          update: {
            messages: [
              new ToolMessage({ id: "t1", content: "bye", tool_call_id: toolCallId, name: "weather" }),
            ],
          },
        }),
    }),
    "a Command that goes elsewhere",
  ),
  row(
    ["tool.func"],
    () => ({
      execute: (_args, { toolCallId }) =>
        new ToolMessage({
          id: "t1",
          content: "not now",
          status: "success",
          tool_call_id: toolCallId,
          artifact: { a: 1 },
        }),
    }),
    "a message of its own",
  ),
  row(
    ["tool.func"],
    (saw) => ({
      execute: () => {
        const answer: unknown = interrupt({ question: "Really?" });
        saw.push(answer);
        return `answered ${answer}`;
      },
    }),
    "an interrupt of its own",
  ),
];

export const table: FieldTable<Tools> = {
  peer: "LangChain and LangGraph",
  version: "@langchain/core 1.2.13, @langchain/langgraph 1.4.18",
  fields: { tool: langChainFields, context: langChainContextFields },
  rows,
  beneath(own) {
    const { close: _, ...beneath } = rig({
      tools: own.map((each) => fromLangChain(each)),
      store: ":memory:",
    });
    return toLangChainTools(beneath);
  },
};
