import type { AnyTool, ToolSource } from "@toolrig/core";
import { definitionIn } from "@toolrig/core/kit";
import type { OfferedTool } from "../fleet/worker-card.ts";

/** What a worker tells others of a tool. `refused` says why it may not run here, `resting` why it does not at the moment. */
export function offerOf(
  source: ToolSource,
  tool: AnyTool,
  { refused, resting, slots }: { refused: boolean; resting: string | undefined; slots: number },
): OfferedTool {
  const available = refused ? "it is not allowed on this worker" : (resting ?? tool.available());
  const { sideEffects, idempotent } = tool.safety;
  return {
    ...definitionIn(source, tool),
    provider: source.providerOf?.(tool) ?? "local",
    available: available === true,
    ...(available !== true && { reason: available }),
    ...(refused && { allowed: false }),
    slots,
    ...(tool.mode === "sequential" && { mode: "sequential" }),
    ...(tool.approval !== undefined && { approval: true }),
    safety: { sideEffects, idempotent },
  };
}
