import type { CompleteRequestParams, CompleteResult } from "@modelcontextprotocol/server";
import { definitionIn, isRecord, isWaiting, newId } from "@toolrig/core/kit";
import type { Serving } from "./call.ts";
import { type Caller, callOptionsOf } from "./caller.ts";
import { completions } from "./prompts.ts";

const NONE: CompleteResult = { completion: { values: [] } };

/** Answers `completion/complete`: from a tool's schema, or from the server behind that has the prompt or template. */
export async function complete(
  serving: Serving,
  caller: Caller,
  { ref, argument, context }: CompleteRequestParams,
  signal: AbortSignal,
): Promise<CompleteResult> {
  const { view } = caller;
  const tool = ref.type === "ref/prompt" && view.isPrompt(ref.name) ? view.source.get(ref.name) : undefined;
  if (tool !== undefined) return completions(definitionIn(view.source, tool), argument.name, argument.value);
  const behind = view.behind.completion(ref, argument, context);
  if (behind === undefined) return NONE;
  const { executor, waits } = serving.parts;
  const call = { id: newId("mcp"), name: behind.tool, arguments: behind.args };
  const result = await executor.call(call, { ...callOptionsOf(caller), signal, onWaiting: "return" });
  // Nobody answers for a word that is half written.
  if (isWaiting(result)) await waits?.cancel(result.executionId, { reason: "a completion waits for nobody" });
  const { value } = result;
  const isTold = !result.isError && !isWaiting(result) && isRecord(value) && isRecord(value.completion);
  return isTold ? (value as unknown as CompleteResult) : NONE;
}
