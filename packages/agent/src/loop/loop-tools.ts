import type { CallExecutor, Hooks, ToolList, ToolSource } from "@toolrig/core";
import { check, compileAllowlist, sourceOf } from "@toolrig/core/kit";
import type { LoopTools } from "../run/setup.ts";
import { executorFor, isExecutor, type Toolset, toolsetOf } from "../run/toolset.ts";
import { FIND_TOOLS } from "../select/find-tools.ts";
import { Selection } from "../select/offering.ts";
import type { AgentLoopOptions } from "./options.ts";

/** The tools that a loop's options name, with the executor that was given or one of their own. */
export function loopTools(options: AgentLoopOptions): LoopTools {
  const { tools = [], executor = {}, hooks = {}, clock } = options;
  const source = sourceOf(tools);
  if (isExecutor(executor)) return givenTools(source, executor, options);
  const { allow } = executor;
  const settings = { ...(clock !== undefined && { clock }), ...executor };
  if (options.selection === undefined) return ownTools(source, source, settings, hooks);
  const selection = new Selection(source, options.selection, compileAllowlist(allow));
  const finding = Array.isArray(allow) && allow.length > 0;
  if (finding) settings.allow = [...allow, FIND_TOOLS];
  return { ...ownTools(source, selection.source, settings, hooks), selection };
}

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
    toolset: toolsetOf(source, executor),
    toolsetFor() {
      const expected = "a list of names when the loop was given an executor";
      throw check.invalid("tools of prepareTurn", expected, "other tools");
    },
    selection: undefined,
  };
}

/** `callable` is what is offered and, where tools are offered through search, the tool that searches. */
function ownTools(
  offered: ToolSource,
  callable: ToolSource,
  options: Parameters<typeof executorFor>[1],
  hooks: Hooks,
): LoopTools {
  const allowed = options.allow === undefined ? undefined : compileAllowlist(options.allow);
  const others = new WeakMap<ToolSource | ToolList, Toolset>();
  return {
    toolset: toolsetOf(offered, executorFor(callable, options, hooks), allowed),
    toolsetFor(tools) {
      let toolset = others.get(tools);
      if (toolset === undefined) {
        const source = sourceOf(tools);
        toolset = toolsetOf(source, executorFor(source, options, hooks), allowed);
        others.set(tools, toolset);
      }
      return toolset;
    },
    selection: undefined,
  };
}
