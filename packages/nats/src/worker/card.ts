import type { AnyTool, ToolSource } from "@toolrig/core";
import { defined, definitionIn } from "@toolrig/core/kit";
import type { OfferedTool, WorkerCard } from "../fleet/worker-card.ts";
import type { Breaker } from "./breaker.ts";
import { type CheckedConfig, slotsOf } from "./config.ts";
import type { DeliveryCounters } from "./deliver/counters.ts";
import type { Unfit } from "./fit.ts";

/** What a worker's card is made from. */
export interface CardParts {
  id: string;
  startedAt: number;
  config: CheckedConfig;
  source: ToolSource;
  breaker: Breaker;
  counters: DeliveryCounters;
  allows(tool: AnyTool): boolean;
  /** After how long a call goes on without its caller, who may not hold it. */
  backgroundOf(tool: AnyTool): number | undefined;
  unfit: Unfit;
  /** Whether guards or hooks judge calls. */
  guarded: boolean;
}

/** What a worker tells others of itself while it is at so many calls. */
export function cardOf(parts: CardParts, running: number): WorkerCard {
  const { id, startedAt, config, source, counters } = parts;
  return {
    id,
    startedAt,
    at: Date.now(),
    running,
    ran: counters.ran,
    failed: counters.failed,
    ...(config.priorities && { lanes: true }),
    tools: source.tools().map((tool) => offerOf(tool, parts)),
  };
}

function offerOf(
  tool: AnyTool,
  { source, config, breaker, allows, unfit, backgroundOf, guarded }: CardParts,
): OfferedTool {
  const allowed = allows(tool);
  const backgroundMs = backgroundOf(tool);
  const available = allowed
    ? (unfit(tool) ?? breaker.reason(tool.name) ?? tool.available())
    : "it is not allowed on this worker";
  const { sideEffects, idempotent } = tool.safety;
  return {
    ...definitionIn(source, tool),
    provider: source.providerOf?.(tool) ?? "local",
    available: available === true,
    ...(available !== true && { reason: available }),
    ...(!allowed && { allowed: false }),
    ...(!guarded && { guarded: false as const }),
    slots: slotsOf(tool, config),
    ...(tool.rate !== undefined && { rate: { limit: tool.rate.limit, perMs: tool.rate.perMs } }),
    ...defined({ backgroundMs }),
    ...(tool.mode === "sequential" && { mode: "sequential" }),
    ...(tool.approval !== undefined && { approval: true }),
    safety: { sideEffects, idempotent },
  };
}
