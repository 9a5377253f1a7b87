import type { ToolResult } from "@toolrig/core";
import { failedResult } from "@toolrig/core/kit";
import { bury } from "../../fleet/dead-letters.ts";
import type { Admitted } from "./admit.ts";
import type { DeliveryParts } from "./parts.ts";

/** A call that may be started again, but whose workers were lost every time. */
export function isPoison(attempts: number, { maxAttempts }: DeliveryParts): boolean {
  return attempts >= maxAttempts;
}

/** Puts a poisonous call among the dead letters. The result that it ends with. */
export async function putAsidePoison(
  admitted: Admitted,
  attempts: number,
  parts: DeliveryParts,
): Promise<ToolResult> {
  const { call, tool } = admitted;
  await putAside(admitted, `its worker was lost ${attempts} times`, parts);
  const message = `${tool.name} was started ${attempts} times and its worker was lost each time. It was put aside.`;
  return failedResult(call.call, call.executionId, { code: "TOOL_PANICKED", message });
}

/** Among the dead letters, for a person to look at. */
export function putAside(
  { message, call, tool }: Admitted,
  reason: string,
  { publisher, counters }: DeliveryParts,
): Promise<void> {
  counters.buried += 1;
  return bury(publisher, message, { tool: tool.name, reason, id: call.key });
}
