import type { Loaded } from "../../config/load-settings.ts";
import { partsOf, withoutStore } from "../../config/open-rig.ts";
import { didYouMean } from "../../shell/did-you-mean.ts";
import type { Finding } from "./finding.ts";

/** Rules that name a tool which there is not: they protect nothing. Tools of MCP servers and patterns may come yet. */
export function checkPolicy(settings: Loaded): Finding[] {
  const known = partsOf(withoutStore(settings))
    .tools.tools()
    .map(({ name }) => name);
  const { rules = [] } = settings.rig.policy ?? {};
  return rules.flatMap(({ name, when }, index) =>
    [when?.tool ?? []]
      .flat()
      .filter((tool) => !known.includes(tool) && !/\*|__/.test(tool))
      .map((tool): Finding => {
        const rule = name ?? `rules[${index}]`;
        const message = `${rule} is about "${tool}", and there is no such tool.${didYouMean(tool, known)}`;
        return { status: "warn", check: "policy", message };
      }),
  );
}
