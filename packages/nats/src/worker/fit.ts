import { type AnyTool, ToolrigError } from "@toolrig/core";
import { formatDuration, parseDuration } from "@toolrig/core/kit";
import type { FleetNames } from "../fleet/setup.ts";
import { unfitName } from "../wire/names.ts";
import type { CheckedConfig } from "./config.ts";

/** Why calls of a tool cannot be run on a fleet; undefined when they can. */
export type Unfit = (tool: AnyTool) => string | undefined;

/** What does not fit a fleet of this kind. */
export function unfitFor({ ledgerTtlMs }: FleetNames, { timeout }: CheckedConfig): Unfit {
  const usualMs = parseDuration(timeout, "timeout");
  return (tool) => {
    const name = unfitName(tool.name);
    if (name !== undefined) return name;
    const takesMs = longest(tool, usualMs);
    if (takesMs < ledgerTtlMs) return undefined;
    return `a call of it may take ${formatDuration(takesMs)}, and the ledger forgets after ${formatDuration(ledgerTtlMs)} that it was started; shorten its timeout, retry less or lengthen ledgerTtl`;
  };
}

/** Throws `CONFIG_INVALID`, naming the first tool that does not fit. */
export function checkFit(tools: readonly AnyTool[], unfit: Unfit): void {
  for (const tool of tools) {
    const reason = unfit(tool);
    if (reason === undefined) continue;
    throw new ToolrigError(
      "CONFIG_INVALID",
      `${tool.name.slice(0, 100)} cannot run on this fleet: ${reason}.`,
    );
  }
}

/** With all its attempts, and the pauses between them. */
function longest({ timeoutMs, retry, safety }: AnyTool, usualMs: number): number {
  const { maxBackoffMs } = retry;
  const attempts = safety.idempotent ? retry.attempts : 1;
  return attempts * (timeoutMs ?? usualMs) + (attempts - 1) * maxBackoffMs;
}
