import type { FailureKind } from "../failure/codes.ts";
import { ToolrigError } from "../failure/failure.ts";
import { type Duration, formatDuration, parseDuration } from "../options/duration.ts";
import type { Guard } from "./guard.ts";

export interface BreakerOptions {
  /** Failures in a row that open the circuit of a tool. Default 5. */
  failures?: number;
  /** How long it stays open before one call may try. Default "30s". */
  cooldown?: Duration;
  now?: () => number;
}

interface Circuit {
  failures: number;
  openedAt: number | undefined;
  /** The execution that tries whether the tool works again, and since when. One that waits too long makes room. */
  probe: { executionId: string; at: number } | undefined;
}

/** Faults of the tool or the world. What the model did wrong says nothing about the tool. */
const COUNTS: ReadonlySet<FailureKind> = new Set<FailureKind>([
  "transient",
  "timeout",
  "unavailable",
  "fatal",
  "unknown",
]);

/** Stops calling a tool that keeps failing, and lets one call through now and then to see whether it recovered. */
export function breakerGuard({ failures = 5, cooldown = "30s", now = Date.now }: BreakerOptions = {}): Guard {
  const cooldownMs = parseDuration(cooldown, "cooldown");
  if (!Number.isInteger(failures) || failures < 1) {
    throw new ToolrigError(
      "OPTION_INVALID",
      `failures must be a whole number of at least 1; got ${String(failures)}.`,
    );
  }
  const circuits = new Map<string, Circuit>();

  return {
    name: "breaker",
    before({ tool, executionId }) {
      const circuit = circuits.get(tool.name);
      if (circuit?.openedAt === undefined) return undefined;
      const left = circuit.openedAt + cooldownMs - now();
      const tried = circuit.probe !== undefined && circuit.probe.at + cooldownMs > now();
      if (left <= 0 && !tried) {
        circuit.probe = { executionId, at: now() };
        return { verdict: "allow", reason: `${tool.name} is tried again after ${circuit.failures} failures` };
      }
      const when =
        left > 0 ? `It may be tried again in ${formatDuration(left)}.` : "It is being tried at the moment.";
      const reason = `${tool.name} failed ${circuit.failures} times in a row and is not called for now. ${when}`;
      return { verdict: "deny", code: "TOOL_UNAVAILABLE", reason };
    },

    after({ tool, executionId, result }) {
      const circuit = circuits.get(tool.name) ?? { failures: 0, openedAt: undefined, probe: undefined };
      const wasProbe = circuit.probe?.executionId === executionId;
      if (wasProbe) circuit.probe = undefined;
      if (result.attempts === 0 && !wasProbe) return undefined;
      // A cancelled call says nothing about the tool, so a probe that was cancelled leaves it open.
      if (result.failure?.kind === "cancelled") return undefined;
      if (result.failure !== undefined && COUNTS.has(result.failure.kind)) {
        circuit.failures += 1;
        if (circuit.failures >= failures) circuit.openedAt = now();
        circuits.set(tool.name, circuit);
      } else if (result.attempts > 0) {
        circuits.delete(tool.name);
      }
      return undefined;
    },
  };
}
