import {
  type AnyTool,
  type CallExecutor,
  type Hooks,
  type ToolList,
  type ToolSource,
  withCapabilities,
} from "@toolrig/core";
import { check, compileAllowlist, newestAvailable, sourceOf } from "@toolrig/core/kit";
import { flowOf } from "../run/flow.ts";
import type { LoopTools } from "../run/setup.ts";
import { executorFor, isExecutor, type Toolset, toolsetOf } from "../run/toolset.ts";
import type { Allowed } from "../select/definitions.ts";
import { FIND_TOOLS } from "../select/find-tools.ts";
import { Selection } from "../select/offering.ts";
import type { AgentLoopOptions } from "./options.ts";

/** The tools that a loop's options name, with the executor that was given or one of their own. */
export function loopTools(options: AgentLoopOptions): LoopTools {
  const { tools = [], executor = {}, hooks = {}, clock } = options;
  if (isExecutor(executor)) return givenTools(sourceOf(tools), executor, options);
  const { allow, capabilities, ...rest } = executor;
  const settings: Settings = { ...(clock !== undefined && { clock }), ...rest };
  if (allow !== undefined) settings.allow = allow;
  // What is offered and what runs come from one source, so that the model is told of nothing it cannot call.
  const granted: Granted = (given) =>
    capabilities === undefined ? sourceOf(given) : withCapabilities(sourceOf(given), capabilities);
  const source = granted(tools);
  const ledgered = settings.ledger !== undefined;
  if (options.selection === undefined)
    return { ...ownTools(source, source, settings, hooks, granted), selection: undefined, ledgered };
  const flow = flowOf(options);
  const trusts = (tool: AnyTool) => flow?.trusts(tool, source.providerOf?.(tool)) ?? tool.trusted;
  const selection = new Selection(source, options.selection, compileAllowlist(allow), trusts);
  const finding = Array.isArray(allow) && allow.length > 0;
  if (finding) settings.allow = [...allow, FIND_TOOLS];
  return { ...ownTools(source, selection.source, settings, hooks, granted), selection, ledgered };
}

type Settings = Parameters<typeof executorFor>[1];
type Granted = (tools: ToolSource | ToolList) => ToolSource;

function givenTools(
  source: ToolSource,
  executor: CallExecutor,
  { selection, hooks = {} }: AgentLoopOptions,
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
