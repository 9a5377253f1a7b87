import { type ToolDefinition, type ToolList, type ToolSource, textOf } from "@toolrig/core";
import type { Message } from "../model/message.ts";
import type { TurnChanges } from "../run/hooks.ts";
import type { LoopRun } from "./run.ts";

export interface PreparedTurn {
  tools: readonly ToolDefinition[];
  messages: readonly Message[];
}

/** Reads the tools anew, lets the hooks change what they want, and settles what the model is asked with. */
export async function prepareTurn(run: LoopRun): Promise<PreparedTurn> {
  const { setup, runId, turn } = run;
  const { hooks } = setup;
  let messages: readonly Message[] = run.messages;
  if (hooks.prepareTurn !== undefined) {
    const changes = await hooks.prepareTurn({ runId, turn, messages });
    if (changes !== undefined) apply(run, changes);
    messages = changes?.messages ?? messages;
  }
  if (hooks.transformContext !== undefined)
    messages = await hooks.transformContext({ runId, turn, messages });
  return { tools: offered(run), messages };
}

function apply(run: LoopRun, changes: TurnChanges): void {
  const { engine, system, tools, responseFormat } = changes;
  if (engine !== undefined) run.engine = engine;
  if (system !== undefined) run.system = system;
  if (responseFormat !== undefined) run.responseFormat = responseFormat ?? undefined;
  if (tools === undefined) return;
  if (tools === null) {
    run.only = undefined;
    run.useToolset(run.setup.toolset);
  } else if (isNames(tools)) {
    run.only = new Set(tools);
  } else {
    run.only = undefined;
    run.useToolset(run.setup.toolsetFor(tools));
  }
}

function isNames(tools: readonly string[] | ToolSource | ToolList): tools is readonly string[] {
  return Array.isArray(tools) && tools.every((each) => typeof each === "string");
}

const subsets = new WeakMap<
  readonly ToolDefinition[],
  WeakMap<ReadonlySet<string>, readonly ToolDefinition[]>
>();

function offered(run: LoopRun): readonly ToolDefinition[] {
  const all =
    run.setup.selection?.definitions(run.runId, () => taskOf(run.messages)) ??
    run.toolset.definitions.current();
  const { only } = run;
  if (only === undefined) return all;
  let bySet = subsets.get(all);
  if (bySet === undefined) {
    bySet = new WeakMap();
    subsets.set(all, bySet);
  }
  let subset = bySet.get(only);
  if (subset === undefined) {
    subset = all.filter((definition) => only.has(definition.name));
    bySet.set(only, subset);
  }
  return subset;
}

/** What the user has asked, for finding the tools that fit. */
function taskOf(messages: readonly Message[]): string {
  const texts = messages.flatMap((message) => {
    if (message.role !== "user") return [];
    return typeof message.content === "string" ? [message.content] : [textOf(message.content)];
  });
  return texts.slice(-3).join("\n");
}
