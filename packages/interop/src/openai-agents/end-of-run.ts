import { type ToolResult, textOf } from "@toolrig/core";
import type { AgentsOutput } from "./shape.ts";

/** Calls that ended their run, by the run. */
const ends = new WeakMap<object, Map<string, string>>();

/** Remembers that a call asked to end its run. */
export function noteEnd(runContext: object, callId: string, result: ToolResult, output: AgentsOutput): void {
  if (result.terminate !== true && result.stop === undefined) return;
  const calls = ends.get(runContext) ?? new Map<string, string>();
  ends.set(runContext, calls.set(callId, typeof output === "string" ? output : textOf(result.content)));
}

/** A result of the SDK, as far as it is read. */
interface AgentsResult {
  type: string;
  runItem?: { rawItem?: unknown };
}

/**
 * For `new Agent({ toolUseBehavior: endOfRun })`: the run ends, with what the last of them said, when all results of a batch ask
 * for it. Otherwise the model is asked again.
 */
export function endOfRun(
  runContext: object,
  results: readonly AgentsResult[],
):
  | { isFinalOutput: true; isInterrupted: undefined; finalOutput: string }
  | { isFinalOutput: false; isInterrupted: undefined } {
  const calls = ends.get(runContext);
  const said = results.map(({ runItem }) => calls?.get(callIdOf(runItem?.rawItem)));
  const last = said.at(-1);
  return last !== undefined && said.every((each) => each !== undefined)
    ? { isFinalOutput: true, isInterrupted: undefined, finalOutput: last }
    : { isFinalOutput: false, isInterrupted: undefined };
}

function callIdOf(rawItem: unknown): string {
  const { callId } = (rawItem ?? {}) as { callId?: unknown };
  return typeof callId === "string" ? callId : "";
}
