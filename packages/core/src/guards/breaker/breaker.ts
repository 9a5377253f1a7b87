import type { FailureKind } from "../../failure/codes.ts";
import { declareOptions, type OptionTable } from "../../options/declare-options.ts";
import { type Duration, formatDuration, parseDuration } from "../../options/duration.ts";
import { callback, count, duration } from "../../options/kinds.ts";
import type { Guard } from "../guard.ts";
import { Circuits } from "./circuits.ts";

export interface BreakerOptions {
  /** Failures in a row that open the circuit of a tool. Default 5. */
  failures?: number;
  /** How long it stays open before one call may try. Default "30s". */
  cooldown?: Duration;
  now?: () => number;
}

const breakerOptions = declareOptions("breakerGuard", {
  failures: count(1, { default: 5 }),
  cooldown: duration({ default: "30s", zero: true, long: true }),
  now: callback(),
} satisfies OptionTable<BreakerOptions>);

/** Faults of the tool or the world. What the model did wrong says nothing about the tool. */
const COUNTS: ReadonlySet<FailureKind> = new Set<FailureKind>([
  "transient",
  "timeout",
  "unavailable",
  "fatal",
  "unknown",
]);

/** Stops calling a tool that keeps failing, and lets one call through now and then to see whether it recovered. */
export function breakerGuard(options: BreakerOptions = {}): Guard {
  const { failures, cooldown, now = Date.now } = breakerOptions.withDefaults(options);
  const cooldownMs = parseDuration(cooldown, "cooldown");
  const circuits = new Circuits({ failures, cooldownMs, counts: (kind) => COUNTS.has(kind), now });
  /** The execution that tries whether a tool works again, and since when. One that waits too long makes room. */
  const probes = new Map<string, { executionId: string; at: number }>();

  return {
    name: "breaker",
    judgesEdits: false,
    before({ tool, executionId }) {
      const opened = circuits.opened(tool.name);
      if (opened === undefined) return undefined;
      const probe = probes.get(tool.name);
      // The call that tries the tool may have waited for an approval.
      if (probe?.executionId === executionId) return undefined;
      const tried = probe !== undefined && probe.at + cooldownMs > now();
      if (opened.leftMs <= 0 && !tried) {
        probes.set(tool.name, { executionId, at: now() });
        return { verdict: "allow", reason: `${tool.name} is tried again after ${opened.failures} failures` };
      }
      const when =
        opened.leftMs > 0
          ? `It may be tried again in ${formatDuration(opened.leftMs)}.`
          : "It is being tried at the moment.";
      const reason = `${tool.name} failed ${opened.failures} times in a row and is not called for now. ${when}`;
      return { verdict: "deny", code: "TOOL_UNAVAILABLE", reason };
    },

    after({ tool, executionId, result }) {
      const wasProbe = probes.get(tool.name)?.executionId === executionId;
      if (wasProbe) probes.delete(tool.name);
      if (result.attempts === 0 && !wasProbe) return undefined;
      // A cancelled call says nothing about the tool, so a probe that was cancelled leaves it open.
      if (result.failure?.kind !== "cancelled") circuits.observe(tool.name, result);
      return undefined;
    },
  };
}
