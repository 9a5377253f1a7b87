import type { ToolResult } from "@toolrig/core";
import { HeldCall, messageOf } from "@toolrig/core/kit";
import type { CallOut } from "../run/journal.ts";
import type { RunState } from "../run/state.ts";
import { asCall, callOptions } from "./call-options.ts";
import { refusedResult } from "./refuse.ts";

/**
 * Waits in this process for the result of a call that is not over, while the model goes on. The call is made again under its
 * execution id: what has happened does not happen again. It is cancelled with the run.
 */
export function holdCall(run: RunState, out: CallOut): void {
  const { executor } = run.settings;
  const { executionId } = out;
  const call = asCall(out.call);
  const controller = new AbortController();
  const signal = AbortSignal.any([run.signal, run.out.signal, controller.signal]);
  const options = { ...callOptions(run, { content: [out.call] }), signal, executionId };
  const stop = executor.events.on("call.update", ({ executionId: of, update: { progress } }) => {
    const held = of === executionId ? run.out.get(executionId) : undefined;
    if (held !== undefined && progress !== undefined) held.progress = progress;
  });
  const lost = (error: unknown): ToolResult => {
    const message = `The executor failed: ${messageOf(error)}; the call may have run.`;
    return refusedResult(call, { code: "TOOL_OUTCOME_UNKNOWN", message }, executionId);
  };
  const pending = Promise.resolve()
    .then(() => executor.call(call, options))
    .catch(lost)
    .finally(stop);
  const since = run.setup.clock.now();
  run.out.add({ ...out, since, held: new HeldCall(), cancel: () => controller.abort() }, pending);
}
