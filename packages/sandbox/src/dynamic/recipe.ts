import { createHash } from "node:crypto";
import type { DataLabels, JsonSchema, Safety } from "@toolrig/core";
import { type CatalogEntry, canonicalJson, hasSideEffects } from "@toolrig/core/kit";
import type { Field } from "./field.ts";
import { mismatch, problemInFields, problemInName } from "./problems.ts";

/** What a model says of a tool that it makes. */
export interface Recipe {
  name: string;
  description: string;
  arguments: readonly Field[];
  /** What the handler returns. Absent: anything. */
  output?: readonly Field[];
  /** TypeScript: the body of an async function that has `input` and `tools`. */
  handler: string;
  /** Names of the tools that the handler may call. */
  capabilities: readonly string[];
  /** Arguments of a call that shows that it works. */
  example?: Readonly<Record<string, unknown>>;
}

/** A tool that another one may call: the one of that provider, and no other that has its name later. */
export interface Use {
  name: string;
  provider?: string;
}

/** A recipe that was made into a tool, as the catalog keeps it. */
export interface MadeTool extends Recipe {
  type: "dynamic";
  /** 1 for the first tool of its name. */
  version: number;
  uses: readonly Use[];
  /** The most that it may do, whatever the tools that it calls become. */
  safety: Safety;
  /** Of its words and its answers: what the run that made it had read may be repeated there. */
  labels: DataLabels;
  /** On whose behalf it was made. */
  by?: string;
  /** SHA-256 of all of the above, in hex. */
  hash: string;
}

/** Puts the seal on what was made. */
export function sealed(made: Omit<MadeTool, "hash">): MadeTool {
  return { ...made, hash: hashOf(made) };
}

/**
 * What a row of the catalog holds, or why nothing of it may run. Whoever writes a row can compute its hash: it is held to what
 * is asked of a recipe, too (`schema`: `madeSchema`).
 */
export function readRow(
  { name, spec, damage }: CatalogEntry,
  schema: JsonSchema,
): { made: MadeTool } | { quarantined: string } {
  if (damage !== undefined) return { quarantined: `the row cannot be read: ${damage}` };
  if (typeof spec !== "object" || spec === null || (spec as Partial<MadeTool>).type !== "dynamic")
    return { quarantined: "the row does not hold a tool that was made here" };
  const made = spec as MadeTool;
  const found = attempt(() => hashOf(made));
  if (found instanceof Error) return { quarantined: `the row cannot be read: ${found.message}` };
  if (found !== made.hash)
    return { quarantined: `the row was changed: its hash is ${brief(found)}, not ${brief(made.hash)}` };
  if (made.name !== name) return { quarantined: `the row was made for ${made.name}` };
  const problem = problemInRow(made, schema);
  return problem === undefined ? { made } : { quarantined: `no tool is made like that: ${problem}` };
}

function problemInRow(made: MadeTool, schema: JsonSchema): string | undefined {
  const wrong = mismatch(made, schema) ?? problemInName(made.name);
  if (wrong !== undefined) return wrong;
  const { uses, capabilities, safety } = made;
  if (canonicalJson(uses.map((each) => each.name)) !== canonicalJson([...new Set(capabilities)]))
    return "uses are not those of capabilities.";
  if (safety.idempotent !== !hasSideEffects(safety)) return "safety is not that of a made tool.";
  return problemInFields(made)?.message;
}

/** What nests too deeply cannot be walked. */
function attempt<Value>(act: () => Value): Value | Error {
  try {
    return act();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function hashOf(made: Omit<MadeTool, "hash"> & { hash?: string }): string {
  const { hash: _, ...content } = made;
  return digestOf(canonicalJson(content));
}

export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Enough of a hash to tell it from another. */
export function brief(hash: unknown): string {
  return String(hash).slice(0, 12);
}

/** Whether two recipes say the same, so that there is nothing to make. */
export function isSame(one: Recipe, other: Recipe): boolean {
  return canonicalJson(recipeOf(one)) === canonicalJson(recipeOf(other));
}

function recipeOf({ name, description, arguments: args, output, handler, capabilities, example }: Recipe) {
  return { name, description, arguments: args, output, handler, capabilities, example };
}
