import type { Policy } from "@toolrig/core";
import type { PolicyAnswer } from "../wire.ts";

/** The rules that were looked at before one decided, or before the profile did: the first that matches decides. */
export function rulesLookedAt({ rules = [] }: Policy, by: string): PolicyAnswer["rules"] {
  const named = rules.map(({ name, reason, verdict }, index) => ({
    name: name ?? `rule ${index + 1}`,
    reason,
    verdict,
  }));
  const decided = named.findIndex(({ name }) => name === by);
  return (decided < 0 ? named : named.slice(0, decided + 1)).map(({ name, reason, verdict }, index) =>
    index === decided
      ? {
          name,
          matched: true,
          why: `It matches and says ${verdict}${reason === undefined ? "" : `: ${reason}`}`,
        }
      : { name, matched: false, why: "Not all of its conditions hold." },
  );
}
