import type { Run } from "@toolrig/agent";
import type { CallEvent } from "@toolrig/core";
import type { Mcp } from "@toolrig/mcp";

/** Characters of what one server said that a run is told at once. */
const MAX_TOLD = 8_000;

/**
 * Tells every run under way what MCP servers said unasked, each time a call of a run is over: one message for each server, as
 * untrusted data. What comes later waits for the next call, so that a server cannot keep a run from its end.
 */
export function steerNotifications(mcp: Mcp, runs: ReadonlyMap<string, Run>): (event: CallEvent) => void {
  return (event) => {
    if (event.type !== "call.end" || event.runId === undefined || !runs.has(event.runId)) return;
    const said = Map.groupBy(mcp.takeNotifications(), ({ source }) => source);
    for (const [untrusted, notifications] of said) {
      const lines = notifications.map(
        ({ kind, text, count }) => `${kind}: ${text}${count > 1 ? ` (${count} times)` : ""}`,
      );
      const text = lines.join("\n");
      const told = text.length > MAX_TOLD ? `${text.slice(0, MAX_TOLD)}…` : text;
      for (const run of runs.values()) run.steer(told, { untrusted });
    }
  };
}
