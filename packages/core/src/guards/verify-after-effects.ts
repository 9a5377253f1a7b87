import type { Effect } from "../call/effects.ts";
import { check, settingsOf } from "../options/check.ts";
import type { Guard, GuardInput } from "./guard.ts";
import { meansAny } from "./match/paths.ts";

export interface VerifyOptions {
  /** Patterns of changed files that call for a check. */
  paths: readonly string[];
  /** What is wrong after the change, or nothing. Usually runs a tool or a command. */
  verify: (effects: readonly Effect[], input: GuardInput) => Promise<string | undefined>;
}

const SETTINGS = settingsOf<VerifyOptions>({ paths: true, verify: true });

/** Checks the world after files changed, and attaches what is wrong to the result. */
export function verifyAfterEffects(options: VerifyOptions): Guard {
  check.object("The options of verifyAfterEffects", options);
  check.known("verifyAfterEffects", options, SETTINGS);
  const { verify } = options;
  const paths = check.strings("paths", options.paths, 'a list of patterns such as "src/**"');
  check.function("verify", verify);
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
