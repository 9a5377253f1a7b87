import {
  type CallExecutor,
  Executor,
  type ExecutorOptions,
  type Hooks,
  type ToolSource,
} from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import { type Allowed, Definitions } from "../select/definitions.ts";
import { CallEvents } from "./call-events.ts";

/** Tools together with who runs them. */
export interface Toolset {
  readonly source: ToolSource;
  readonly definitions: Definitions;
  readonly executor: CallExecutor;
  readonly calls: CallEvents;
}

/** What `source` offers, run by an executor that knows it. */
export function toolsetOf(source: ToolSource, executor: CallExecutor, allowed?: Allowed): Toolset {
  return {
    source,
    definitions: new Definitions(source, allowed),
    executor,
    calls: new CallEvents(executor.events),
  };
}

/** Whether an option `executor` is one, rather than options for one. */
export function isExecutor(value: object): value is CallExecutor {
  return typeof (value as Partial<CallExecutor>).batch === "function";
}

/** An executor for tools. Of `hooks`, which may be those of a loop, it takes the ones that are its own. */
export function executorFor(
  tools: ToolSource,
  options: Omit<ExecutorOptions, "tools" | "hooks">,
  { beforeCall, afterCall, judgesEdits }: Hooks,
): Executor {
  const hooks: Hooks = {
    ...defined({ beforeCall, afterCall, judgesEdits }),
  };
  return new Executor({ ...options, ...(Object.keys(hooks).length > 0 && { hooks }), tools });
}
