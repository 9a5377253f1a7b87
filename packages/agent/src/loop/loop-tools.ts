import {
  type AnyTool,
  type CallExecutor,
  type Hooks,
  type ToolList,
  type ToolSource,
  withCapabilities,
} from "@toolrig/core";
import {
  check,
  compileAllowlist,
  defined,
  MemoryArtifactStore,
  newestAvailable,
  READ_RESULT,
  sourceOf,
} from "@toolrig/core/kit";
import { flowOf } from "../run/flow.ts";
import type { LoopTools } from "../run/setup.ts";
import { executorFor, isExecutor, type Toolset, toolsetOf } from "../run/toolset.ts";
import type { Trimming } from "../run/trim.ts";
import type { Allowed } from "../select/definitions.ts";
import { FIND_TOOLS } from "../select/find-tools.ts";
import { Selection } from "../select/offering.ts";
import type { AgentLoopOptions } from "./options.ts";
import { trimmingFor, trimmingOf, withReader } from "./trim-options.ts";

/** The tools that a loop's options name, with the executor that was given or one of their own. */
export function loopTools(options: AgentLoopOptions): LoopTools {
  const { tools = [], executor = {}, hooks = {}, clock, tracer } = options;
  if (isExecutor(executor)) return givenTools(sourceOf(tools), executor, options);
  const { allow, capabilities, ...rest } = executor;
  const settings: Settings = {
    ...defined({ clock, tracer }),
    ...rest,
  };
  const trimming = ownTrimming(options, settings);
  // What the loop itself offers beside the tools.
  const added: string[] = trimming === undefined ? [] : [READ_RESULT];
  if (options.selection !== undefined) added.push(FIND_TOOLS);
  if (allow !== undefined)
    settings.allow = Array.isArray(allow) && allow.length > 0 ? [...allow, ...added] : allow;
  // What is offered and what runs come from one source, so that the model is told of nothing it cannot call.
  const granted: Granted = (given) => {
    const source = trimming === undefined ? sourceOf(given) : withReader(sourceOf(given), trimming.artifacts);
    return capabilities === undefined ? source : withCapabilities(source, capabilities);
  };
  const source = granted(tools);
  const selection = selectionOf(source, options, settings.allow, trimming);
  const made = ownTools(source, selection?.source ?? source, settings, hooks, granted);
  return { ...made, selection, trimming, ledgered: settings.ledger !== undefined };
}

type Settings = Parameters<typeof executorFor>[1];
type Granted = (tools: ToolSource | ToolList) => ToolSource;

/** Where the whole results are kept is where the executor keeps what is too large. */
function ownTrimming({ trimResults }: AgentLoopOptions, settings: Settings): Trimming | undefined {
  if (trimResults === undefined) return undefined;
  if (trimResults.artifacts !== undefined)
    throw check.invalid("trimResults.artifacts", "given as executor.artifacts", trimResults.artifacts);
  settings.artifacts ??= new MemoryArtifactStore();
  return trimmingOf(trimResults, settings.artifacts);
}

function selectionOf(
  source: ToolSource,
  options: AgentLoopOptions,
  allow: readonly string[] | undefined,
  trimming: Trimming | undefined,
): Selection | undefined {
  const { selection } = options;
  if (selection === undefined) return undefined;
  const flow = flowOf(options);
  const trusts = (tool: AnyTool) => flow?.trusts(tool, source.providerOf?.(tool)) ?? tool.trusted;
  const { always = [] } = selection;
  const kept = check.strings("selection.always", always, "a list of tool names");
  const shown = trimming === undefined ? selection : { ...selection, always: [...kept, READ_RESULT] };
  return new Selection(source, shown, compileAllowlist(allow), trusts);
}

function givenTools(
  source: ToolSource,
  executor: CallExecutor,
  { selection, trimResults, hooks = {} }: AgentLoopOptions,
): LoopTools {
  if (selection !== undefined)
    throw check.invalid("selection", "used without an executor of your own", "both");
  if (hooks.beforeCall !== undefined || hooks.afterCall !== undefined) {
    const expected = "given to the executor itself when there is one";
    throw check.invalid("hooks.beforeCall and afterCall", expected, "both");
  }
  return {
    toolset: toolsetOf(source, executor, runBy(executor)),
    toolsetFor() {
      const expected = "a list of names when the loop was given an executor";
      throw check.invalid("tools of prepareTurn", expected, "other tools");
    },
    selection: undefined,
    trimming: trimResults && trimmingFor(trimResults, executor, source),
    ledgered: true,
  };
}

/** What an executor that can tell would run now. */
function runBy(executor: CallExecutor): Allowed {
  return ({ name }) => {
    if (executor.tools === undefined) return undefined;
    const available = newestAvailable(executor.tools, name)?.available() ?? "it has no such tool";
    return available === true ? undefined : `the executor cannot run ${name}: ${available}`;
  };
}

/** `callable` is what is offered and, where tools are offered through search, the tool that searches. */
function ownTools(
  offered: ToolSource,
  callable: ToolSource,
  options: Settings,
  hooks: Hooks,
  granted: Granted,
): Pick<LoopTools, "toolset" | "toolsetFor"> {
  const allowed = options.allow === undefined ? undefined : compileAllowlist(options.allow);
  const others = new WeakMap<ToolSource | ToolList, Toolset>();
  return {
    toolset: toolsetOf(offered, executorFor(callable, options, hooks), allowed),
    toolsetFor(tools) {
      let toolset = others.get(tools);
      if (toolset === undefined) {
        const source = granted(tools);
        toolset = toolsetOf(source, executorFor(source, options, hooks), allowed);
        others.set(tools, toolset);
      }
      return toolset;
    },
  };
}
