import type { ToolResult } from "@toolrig/core";
import { failedResult, messageOf } from "@toolrig/core/kit";
import { ALLOWED } from "../../wire/messages.ts";
import { SUBJECT } from "../../wire/names.ts";
import { asAsked } from "../as-asked.ts";
import type { Claimed } from "./claim.ts";
import type { DeliveryParts } from "./parts.ts";

/** Never rejects: what the executor throws is the tool's failure. */
export async function run(claimed: Claimed, parts: DeliveryParts): Promise<ToolResult> {
  const { call, abort } = claimed;
  const { executor, gates, counters } = parts;
  counters.ran += 1;
  gates.started(call);
  const { call: said, range, pipelineId: executionId } = call;
  const { batched, ...options } = call.options;
  const asked = range === said.version || range === undefined ? said : { ...said, version: range };
  let result: ToolResult;
  try {
    result = await executor.call(asked, {
      ...options,
      executionId,
      signal: abort.signal,
      onWaiting: "return",
      ...(batched === true && { beforeRun: async () => tellAllowed(claimed, parts) }),
    });
  } catch (error) {
    result = failedResult(said, executionId, { code: "TOOL_PANICKED", message: messageOf(error) });
  }
  if (result.isError) counters.failed += 1;
  return withEarlierStarts(claimed, asAsked(call, result));
}

/** The caller sends the next call of the batch. A message that is lost costs time: the result releases the next call, too. */
function tellAllowed({ call: { executionId, key }, progress }: Claimed, { connection }: DeliveryParts): void {
  const { attempt, updates: n } = progress;
  const text = JSON.stringify({ attempt, n, event: { type: ALLOWED, executionId } });
  try {
    connection.publish(`${SUBJECT.update}.${key}`, text);
  } catch {
    // No connection to send it on.
  }
}

/** What a worker that was lost had started counts, too; and a call that did not run this time may have run there. */
function withEarlierStarts({ call, progress }: Claimed, result: ToolResult): ToolResult {
  const { failure, attempts } = result;
  const earlier = progress.attempt - 1;
  if (earlier === 0) return result;
  if (attempts > 0) return { ...result, attempts: attempts + earlier };
  if (failure === undefined) return result;
  const message = `${failure.message} It was started before, on a worker that was lost: it may have happened.`;
  return { ...failedResult(call.call, call.executionId, { ...failure, message }), attempts: earlier };
}
