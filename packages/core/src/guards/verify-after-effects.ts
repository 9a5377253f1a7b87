import type { Effect } from "../call/effects.ts";
import { declareOptions, type OptionTable } from "../options/declare-options.ts";
import { callback, strings } from "../options/kinds.ts";
import type { Guard, GuardInput } from "./guard.ts";
import { meansAny } from "./match/paths.ts";

export interface VerifyOptions {
  /** Patterns of changed files that call for a check. */
  paths: readonly string[];
  /** What is wrong after the change, or nothing. Usually runs a tool or a command. */
  verify: (effects: readonly Effect[], input: GuardInput) => Promise<string | undefined>;
}

const verifyOptions = declareOptions("verifyAfterEffects", {
  paths: strings('a list of patterns such as "src/**"', { required: true }),
  verify: callback("a function", { required: true }),
} satisfies OptionTable<VerifyOptions>);

/** Checks the world after files changed, and attaches what is wrong to the result. */
export function verifyAfterEffects(options: VerifyOptions): Guard {
  verifyOptions.check(options);
  const { verify } = options;
  const paths = [...options.paths];
  return {
    name: "verify-after-effects",
    after(input) {
      if (input.effects === undefined) return undefined;
      const changed = input.effects.filter(
        (effect) => effect.type === "file" && meansAny(effect.path, paths),
      );
      if (changed.length === 0) return undefined;
      return verify(changed, input).then((problem) =>
        problem === undefined ? undefined : { verdict: "advise", text: `verification failed: ${problem}` },
      );
    },
  };
}
