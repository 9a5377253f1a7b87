import {
  type CallExecutor,
  type JsonSchema,
  type ToolDefinition,
  type ToolList,
  type ToolSource,
  textOf,
} from "@toolrig/core";
import { newestAvailable } from "@toolrig/core/kit";
import type { Engine, EngineRequest } from "../model/engine.ts";
import type { Message } from "../model/message.ts";
import type { TurnChanges } from "./hooks.ts";
import type { RunLife } from "./life.ts";
import type { LoopEvent, LoopFact } from "./loop-event.ts";
import type { Setup } from "./setup.ts";
import type { Toolset } from "./toolset.ts";

/** What a turn is asked with: what the loop was set up with, until `prepareTurn` changes it. */
export class TurnSettings {
  readonly #setup: Setup;
  readonly #life: RunLife<LoopEvent, LoopFact>;
  #engine: Engine;
  #system: string | undefined;
  #responseFormat: EngineRequest["responseFormat"] | undefined;
  #toolset: Toolset;
  #only: ReadonlySet<string> | undefined;
  /** The definitions of which the information-flow guard was told last. */
  #told: readonly ToolDefinition[] | undefined;

  constructor(setup: Setup, life: RunLife<LoopEvent, LoopFact>) {
    this.#setup = setup;
    this.#life = life;
    this.#engine = setup.engine;
    this.#system = setup.system;
    this.#toolset = setup.toolset;
  }

  get engine(): Engine {
    return this.#engine;
  }

  get system(): string | undefined {
    return this.#system;
  }

  get responseFormat(): EngineRequest["responseFormat"] | undefined {
    return this.#responseFormat;
  }

  get executor(): CallExecutor {
    return this.#toolset.executor;
  }

  /** The tools of this turn. */
  get source(): ToolSource {
    return this.#toolset.source;
  }

  /** Those of which the model may be told. */
  get definitions(): readonly ToolDefinition[] {
    return this.#toolset.definitions.current();
  }

  change({ engine, system, tools, responseFormat }: TurnChanges): void {
    if (engine !== undefined) this.#engine = engine;
    if (system !== undefined) this.#system = system;
    if (responseFormat !== undefined) this.#responseFormat = responseFormat ?? undefined;
    if (tools === undefined) return;
    const named = tools !== null && isNames(tools);
    this.#only = named ? new Set(tools) : undefined;
    if (!named) this.#use(tools === null ? this.#setup.toolset : this.#setup.toolsetFor(tools));
  }

  #use(toolset: Toolset): void {
    this.#toolset = toolset;
    this.#life.watchCalls(toolset.calls);
  }

  /** Whether a tool of that name may be called at this point. */
  allows(name: string): boolean {
    return this.#only === undefined || this.#only.has(name);
  }

  /** The input schema of a tool that is offered. */
  schemaOf(name: string): JsonSchema | undefined {
    return this.#toolset.definitions.named(name)?.inputSchema;
  }

  /** Lets the tools that fit what was asked be chosen, where that takes time. Undefined when it does not. */
  chooseTools(messages: readonly Message[]): Promise<void> | undefined {
    return this.#setup.selection?.prepare(this.#life.runId, () => taskOf(messages), this.#life.signal);
  }

  /** What the model is offered now. The same array until it differs. */
  offered(messages: readonly Message[]): readonly ToolDefinition[] {
    const all =
      this.#setup.selection?.definitions(this.#life.runId, () => taskOf(messages)) ??
      this.#toolset.definitions.current();
    const offered = this.#only === undefined ? all : subsetOf(all, this.#only);
    this.#tellFlow(offered);
    return offered;
  }

  /** The information-flow guard hears whose words the model reads in the definitions that it is offered. */
  #tellFlow(definitions: readonly ToolDefinition[]): void {
    const { flow } = this.#setup;
    if (flow === undefined || definitions === this.#told) return;
    this.#told = definitions;
    const { source } = this.#toolset;
    for (const { name } of definitions) {
      const tool = newestAvailable(source, name);
      if (tool !== undefined) flow.offered(this.#life.runId, tool, source.providerOf?.(tool));
    }
  }
}

function isNames(tools: readonly string[] | ToolSource | ToolList): tools is readonly string[] {
  return Array.isArray(tools) && tools.every((each) => typeof each === "string");
}

const subsets = new WeakMap<
  readonly ToolDefinition[],
  WeakMap<ReadonlySet<string>, readonly ToolDefinition[]>
>();

function subsetOf(all: readonly ToolDefinition[], names: ReadonlySet<string>): readonly ToolDefinition[] {
  let bySet = subsets.get(all);
  if (bySet === undefined) {
    bySet = new WeakMap();
    subsets.set(all, bySet);
  }
  let subset = bySet.get(names);
  if (subset === undefined) {
    subset = all.filter((definition) => names.has(definition.name));
    bySet.set(names, subset);
  }
  return subset;
}

/** What the user has asked, for finding the tools that fit. */
function taskOf(messages: readonly Message[]): string {
  const texts = messages.flatMap((message) => {
    if (message.role !== "user" || message.result !== undefined) return [];
    return typeof message.content === "string" ? [message.content] : [textOf(message.content)];
  });
  return texts.slice(-3).join("\n");
}
