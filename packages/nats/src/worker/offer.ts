import type { AnyTool } from "@toolrig/core";
import type { OfferedTool } from "./presence.ts";

/** What a worker tells others of a tool. `refused` says why it may not run here, `resting` why it does not at the moment. */
export function offerOf(
  tool: AnyTool,
  provider: string | undefined,
  { refused, resting, slots }: { refused: boolean; resting: string | undefined; slots: number },
): OfferedTool {
  const available = refused ? "it is not allowed on this worker" : (resting ?? tool.available());
  const { sideEffects, idempotent } = tool.safety;
  return {
    ...tool.definition,
    provider: provider ?? "local",
    available: available === true,
    ...(available !== true && { reason: available }),
    ...(refused && { allowed: false }),
    slots,
    ...(tool.mode === "sequential" && { mode: "sequential" }),
    ...(tool.approval !== undefined && { approval: true }),
    safety: { sideEffects, idempotent },
  };
}
