import { declareOptions, type OptionTable } from "../../options/declare-options.ts";
import { group, limit } from "../../options/kinds.ts";
import type { Guard } from "../guard.ts";
import { RunStates } from "../run-states.ts";
import { REPEAT_LIMITS, type RepeatLimit, type RepeatLimits, Repeats } from "./repeats.ts";

/** Limits as they may be given: each part that is left out has its default. */
export type RepeatOptions = Partial<RepeatLimit> & {
  failure?: Partial<RepeatLimit>;
  tool?: Partial<RepeatLimit>;
};

const limitOptions = declareOptions("a limit of repeats", {
  advise: limit(2),
  refuse: limit(2),
} satisfies OptionTable<Partial<RepeatLimit>>);

export const repeatOptions = declareOptions("repeats", {
  ...limitOptions.table,
  failure: group(limitOptions),
  tool: group(limitOptions),
} satisfies OptionTable<RepeatOptions>);

/** Throws `OPTION_INVALID`, naming the limit that is no whole number of at least 2. */
export function repeatLimits(options: RepeatOptions = {}): RepeatLimits {
  repeatOptions.check(options, "repeats");
  const { failure, tool, ...same } = options;
  return {
    ...REPEAT_LIMITS,
    ...same,
    failure: { ...REPEAT_LIMITS.failure, ...failure },
    tool: { ...REPEAT_LIMITS.tool, ...tool },
  };
}

/**
 * Tells a model that repeats itself, and then refuses. For callers other than loops, which have this built in and also
 * see calls of tools that do not exist. Calls without a run are not watched: they need not have the same author.
 */
export function repeatGuard(options: RepeatOptions = {}): Guard {
  const limits = repeatLimits(options);
  const runs = new RunStates(() => new Repeats(limits));
  return {
    name: "repeat",
    judgesEdits: false,
    before({ runId, call, resumed }) {
      const reason = runId === undefined || resumed === true ? undefined : runs.of(runId).refusal(call);
      return reason === undefined ? undefined : { verdict: "deny", code: "TOOL_REPEATED", reason };
    },
    after({ runId, call, result }) {
      // What was refused, or answered from memory, did not happen again.
      if (runId === undefined || result.failure?.code === "TOOL_REPEATED" || result.cached === true)
        return undefined;
      const repeats = runs.of(runId);
      // Arguments that are not valid never come before a guard; their refusal replaces the same message once more.
      const reason =
        result.failure?.kind === "validation" && result.attempts === 0 ? repeats.refusal(call) : undefined;
      if (reason !== undefined) return { verdict: "deny", code: "TOOL_REPEATED", reason };
      const text = repeats.observe(call, result);
      return text === undefined ? undefined : { verdict: "advise", text };
    },
  };
}
