import { messageOf } from "./content.ts";
import type { Execution } from "./execution.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import type { ToolResult } from "./result.ts";
import { after } from "./settle/after.ts";
import { isOversized, spill } from "./settle/spill.ts";

/** Turns what came of a call into the result its caller gets, and announces it. Never throws. */
export function settle(execution: Execution, outcome: ToolResult): MaybePromise<ToolResult> {
  const { guards, maxContent } = execution.system;
  if (guards.length === 0 && !isOversized(outcome, maxContent)) return end(execution, outcome);
  return change(execution, outcome).then(
    (result) => end(execution, result),
    (error) => {
      const message = `The result could not be settled: ${messageOf(error)}`;
      return end(execution, execution.failed({ kind: "fatal", message }));
    },
  );
}

async function change(execution: Execution, outcome: ToolResult): Promise<ToolResult> {
  const result = await after(execution, outcome);
  return isOversized(result, execution.system.maxContent) ? spill(execution, result) : result;
}

/** Adds what only the pipeline knows. A failure never asks to end the run. */
function end(execution: Execution, result: ToolResult): ToolResult {
  const { advice, effects, stop, attempts, startedAt, endedAt, system } = execution;
  if (result.cached !== true) result.attempts = attempts;
  result.durationMs = Math.max(0, (endedAt === 0 ? system.clock.now() : endedAt) - startedAt);
  if (effects !== undefined) result.effects = effects;
  if (stop !== undefined) result.stop = stop;
  if (advice !== undefined) {
    result.advice = advice;
    result.content = [
      ...result.content,
      ...advice.map((text) => ({ type: "text" as const, text: `[advice] ${text}` })),
    ];
  }
  if (result.isError) delete result.terminate;
  system.counters.ended(result);
  if (system.events.active) announce(execution, result);
  return result;
}

function announce(execution: Execution, result: ToolResult): void {
  const { args, tool, startedAt, system } = execution;
  execution.emit({
    type: "call.end",
    result,
    args,
    ...(tool?.version !== undefined && { version: tool.version }),
    startedAt,
    endedAt: system.clock.now(),
  });
}
