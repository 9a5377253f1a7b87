import { ToolrigError } from "../failure/failure.ts";

/**
 * What becomes of a field of another framework's tool, tool context or run options. "carried": given back to the framework as it was,
 * or handed to the tool as the framework gives it. "run": done by the pipeline. "refused": a tool that has it is not taken. "not ours":
 * nothing that the adapter stands between.
 */
type Fate = "carried" | "run" | "refused" | "not ours";

/** Each field with its fate and one sentence about it. It decides what adapters do, and the docs' tables are made from it. */
export type PeerFields = Readonly<Record<string, readonly [fate: Fate, sentence: string]>>;

/**
 * Throws `OPTION_INVALID`, naming the field, for a tool that has what cannot be kept: a refused field, or one that is not in the table,
 * such as one that a newer version of the framework has added. Fields that are undefined, null or false are not set.
 */
export function refuseFields(framework: string, fields: PeerFields, source: object): void {
  for (const [field, value] of Object.entries(source)) {
    if (value === undefined || value === null || value === false) continue;
    const known = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (known === undefined) throw refusal(framework, field, "it is not known what it means");
    if (known[0] === "refused") throw refusal(framework, field, known[1]);
  }
}

function refusal(framework: string, field: string, why: string): ToolrigError {
  const message = `A tool of ${framework} with "${field}" is not taken, because that would be lost: ${why}`;
  return new ToolrigError("OPTION_INVALID", message, { details: { field } });
}

/** The fields of a tool that are given back to its framework. */
export function carriedFields(fields: PeerFields, source: object): Record<string, unknown> {
  const carried: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(source))
    if (value !== undefined && Object.hasOwn(fields, field) && fields[field]?.[0] === "carried")
      carried[field] = value;
  return carried;
}
