import { createHash } from "node:crypto";
import { canonicalJson, speltOut } from "@toolrig/core/kit";
import { DEFINITION_FIELDS, type ForeignDefinition } from "./definition.ts";
import { lineDiff } from "./line-diff.ts";
import type { PinRecord } from "./pins.ts";

/** What a tool in quarantine would change, or a prompt, a template or instructions. */
export interface ToolChange {
  /** The server's own name; with its kind before it, such as "prompt:greet", where it is no tool. */
  name: string;
  reason: "new" | "changed";
  hash: string;
  /** What was accepted; undefined for a new one. */
  before: ForeignDefinition | undefined;
  after: ForeignDefinition;
}

/** Everything that waits to be accepted, in the order in which the server listed it. */
export function changesOf({ pins = {}, offers = {}, quarantined = [] }: PinRecord): ToolChange[] {
  return quarantined.map(({ name, reason, hash, definition }) => {
    const known = definition.kind === undefined ? pins : offers;
    const before = Object.hasOwn(known, name) ? known[name]?.definition : undefined;
    return { name, reason, hash, before, after: definition };
  });
}

/** Stands for exactly these changes: whoever accepts by it accepts what was shown and nothing that came since. */
export function reviewOf(changes: readonly ToolChange[]): string {
  const hashes = changes.map(({ name, hash }) => [name, hash]);
  return createHash("sha256").update(JSON.stringify(hashes)).digest("hex").slice(0, 12);
}

/**
 * A change for the person who decides: every field that differs, whole, line by line. What hides in it is spelt out. Each line begins
 * with "  ", "- " or "+ ", or is the name of a field.
 */
export function changeLines({ before, after }: ToolChange): string[] {
  return DEFINITION_FIELDS.flatMap((field) => {
    const [old, now] = [shown(before?.[field]), shown(after[field])];
    if (old === now) return [];
    if (old === undefined) return [field, ...prefixed("+ ", now)];
    if (now === undefined) return [field, ...prefixed("- ", old)];
    return [field, ...lineDiff(old, now)];
  });
}

function prefixed(prefix: string, text: string | undefined): string[] {
  return (text ?? "").split("\n").map((line) => prefix + line);
}

/** With its keys in order, so that only what means something else differs. */
function shown(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const text =
    typeof value === "string" ? value : JSON.stringify(JSON.parse(canonicalJson(value)), undefined, 2);
  return speltOut(text);
}
