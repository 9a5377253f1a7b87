import type { AnyTool } from "@toolrig/core";
import { hasSideEffects } from "@toolrig/core/kit";
import type { Loaded } from "../../config/load-settings.ts";
import { rigOf, withoutStore } from "../../config/open-rig.ts";
import { wordsIn } from "../tools/words.ts";
import type { Finding } from "./finding.ts";

/** Things whose names or words others choose. */
const THINGS = new Set(
  `attachment attachments channel channels chat comment comments document documents email emails event events feed file
  files inbox invitation invitations invites invoice invoices issue issues mail mails message messages page pages post
  posts review reviews thread threads ticket tickets transcript web website`.split(/\s+/),
);
/** Fields that hold such names. */
const FIELDS = new Set(
  "attachment body caption comment content description displayname filename message purpose review subject title topic".split(
    " ",
  ),
);

/** Tools that count as trusted and look as if they returned names that strangers choose. Only where information flow is followed. */
export function checkLabels(settings: Loaded): Finding[] {
  const { policy } = settings.rig;
  if (policy === undefined || policy.profile === "open") return [];
  return rigOf(withoutStore(settings))
    .tools.tools()
    .flatMap((tool): Finding[] => {
      const { integrity, user = false } = tool.labels ?? {};
      const trusted = integrity === "trusted" || (integrity === undefined && tool.trusted);
      if (!trusted || user || hasSideEffects(tool.safety)) return [];
      const names = namesIn(tool);
      if (names === undefined) return [];
      return [
        {
          status: "warn",
          check: tool.name,
          message: `counts as trusted and seems to return ${names}, which others may write`,
          fix: `Set labels: { integrity: "untrusted", assigned: [...] } with the fields that no stranger chooses (docs/guides/information-flow.md).`,
        },
      ];
    });
}

/** Words for what a tool returns that others may have written. */
function namesIn({ name, output }: AnyTool): string | undefined {
  const thing = wordsIn(name).find((word) => THINGS.has(word));
  if (thing !== undefined) return `names or text of ${thing.endsWith("s") ? thing : `a ${thing}`}`;
  const field = output && fieldsOf(output.jsonSchema).find((each) => FIELDS.has(each.toLowerCase()));
  return field === undefined || field === "" ? undefined : `"${field}"`;
}

/** Every property that a schema names. */
function fieldsOf(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => [
    ...(keyword === "properties" && typeof value === "object" && value !== null ? Object.keys(value) : []),
    ...fieldsOf(value),
  ]);
}
