import type { AnyTool, FailureInput } from "@toolrig/core";
import { failedResult, isThenable, type MaybePromise } from "@toolrig/core/kit";
import type { CallMessage } from "../../wire/messages.ts";
import { keyPrefix } from "../../wire/names.ts";
import type { Admission } from "../gates/rate-gate.ts";
import type { DeliveryParts } from "./parts.ts";
import type { RunningCall } from "./running-calls.ts";

/** A call whose tool is here, and whose limits let it start. */
export interface Admitted extends RunningCall {
  readonly tool: AnyTool;
}

/** Waits for the tool's limits, if it has to. What waits when the worker stops goes back at once. */
export function admit(received: RunningCall, parts: DeliveryParts): MaybePromise<Admitted | "settled"> {
  const { call } = received;
  const { source, gates, ledger } = parts;
  const { key, urgent } = call;
  const tool = source.get(call.call.name, call.range);
  if (tool === undefined) return refuse(received, notFound(call), parts);
  const resting = parts.breaker.reasonFor(tool.name, keyPrefix(key));
  if (resting !== undefined) {
    const said = `${tool.name} is not available: ${resting}.`;
    return refuse(received, { code: "TOOL_UNAVAILABLE", message: said }, parts);
  }
  // A ledger that cannot be asked now is asked again by whoever claims the call.
  const isFinal = async () => (await ledger.read(key).catch(() => undefined))?.state.state === "final";
  const wanted = async () => !(await isFinal());
  const answer = gates.admit(tool, { key, urgent, wanted });
  return isThenable(answer)
    ? Promise.resolve(answer).then((admission) => heed(admission, received, tool, parts))
    : heed(answer, received, tool, parts);
}

function heed(
  admission: Admission,
  received: RunningCall,
  tool: AnyTool,
  { counters }: DeliveryParts,
): Admitted | "settled" {
  const { message, call, abort, progress } = received;
  if (admission === "admitted") return { message, call, abort, progress, tool };
  if (admission === "closed") {
    message.nak();
  } else {
    counters.duplicates += 1;
    message.ack();
  }
  return "settled";
}

function notFound({ call, range }: CallMessage): FailureInput {
  const version = range === undefined ? "" : ` in a version of ${range}`;
  return { code: "TOOL_NOT_FOUND", message: `No worker has ${call.name}${version}.` };
}

/** The call cannot run here. If no other worker can run it either, that is the answer. */
async function refuse(
  { message, call }: RunningCall,
  failure: FailureInput,
  { ledger, payloads, plainResults, peers, ackWaitMs }: DeliveryParts,
): Promise<"settled"> {
  const known = await ledger.read(call.key);
  const isParked = known?.state.state === "waiting" && known.state.result.waiting.kind !== "question";
  if (known?.state.state === "final" || isParked) {
    message.ack();
    return "settled";
  }
  if (known !== undefined || peers.offer(call.call.name, call.range)) {
    message.nak(Math.min(500, ackWaitMs));
    return "settled";
  }
  const result = failedResult(call.call, call.executionId, failure);
  await ledger.write(call.key, await payloads.entry(call.key, call.fingerprint, result), 0);
  plainResults.tell(call, result);
  message.ack();
  return "settled";
}
