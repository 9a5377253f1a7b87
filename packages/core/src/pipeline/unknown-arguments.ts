import type { Repair } from "@toolrig/json";
import { argumentsText } from "../call/fingerprint.ts";
import type { ArgumentIssue } from "../failure/failure.ts";
import {
  type UnknownProperties,
  unknownProperties,
  withoutProperties,
} from "../schema/unknown-properties.ts";
import { validatorFor } from "../schema/validate.ts";
import { hasSideEffects } from "../tool/safety.ts";
import type { AnyTool } from "../tool/tool.ts";
import type { Resolved } from "./execution.ts";

/** How many arguments that were left out are listed. */
const MAX_LISTED = 100;

/** Valid arguments: as they were given, and what the schema made of them. */
interface Accepted {
  input: unknown;
  value: unknown;
}

/**
 * Applies the rule for arguments that the tool's schema does not describe, once they are valid. A tool with side effects does not
 * run on them: one may have been `dry_run`. Returns the issues then. For a tool that only reads they are left out, and the model is
 * told. `shown` are the arguments as an editor saw them: what the schema itself added there is no unknown argument.
 */
export function settleUnknownArguments(
  execution: Resolved,
  shown?: unknown,
): readonly ArgumentIssue[] | undefined {
  const { tool, input, args: value } = execution;
  const unknown = unknownArguments(tool, { input, value }, shown);
  if (unknown === undefined) return undefined;
  if (!hasSideEffects(tool.safety)) return leaveOut(execution, unknown);
  const issues = exceptNearKeys(execution, unknown);
  return issues.length === 0 ? undefined : issues;
}

/** All that is wrong with arguments that are not valid: the tool's unknown arguments besides, where it would refuse those. */
export function withUnknownArguments(
  execution: Resolved,
  issues: readonly ArgumentIssue[],
): readonly ArgumentIssue[] {
  const { tool, args } = execution;
  if (!hasSideEffects(tool.safety)) return issues;
  const unknown = unknownArguments(tool, { input: args, value: undefined });
  if (unknown === undefined) return issues;
  const named = new Set(issues.map(({ path }) => path));
  return [...issues, ...exceptNearKeys(execution, unknown).filter(({ path }) => !named.has(path))];
}

/** The arguments that the tool's schema does not describe. None where the tool ignores them. */
export function unknownArguments(
  { input: schema, trusted, unknownArguments: rule }: AnyTool,
  { input, value }: Accepted,
  shown?: unknown,
): UnknownProperties | undefined {
  if (rule === "ignore") return undefined;
  const { normal } = validatorFor(schema.jsonSchema, { trusted });
  return unknownProperties(normal, input, schema.parse === undefined ? undefined : value, shown);
}

/** A key that is nearly a parameter's is a guess: `onGuess` decides about it. */
function exceptNearKeys({ decoded }: Resolved, { issues }: UnknownProperties): readonly ArgumentIssue[] {
  const near = decoded.repairs.filter(({ kind, degree }) => kind === "near-key" && degree === "guess");
  return issues.filter((issue) => !near.some(({ path }) => path === issue.path));
}

function leaveOut(execution: Resolved, { places, issues }: UnknownProperties): undefined {
  if (places.length === 0) return;
  const { tool, decoded } = execution;
  // A value that a schema library made under the same name is its own.
  const passed = places.filter((keys) => isSameAt(keys, execution.input, execution.args));
  execution.args = withoutProperties(execution.args, passed);
  execution.input = withoutProperties(execution.input, places);
  const notes = places.slice(0, MAX_LISTED).map(noteOf);
  const noted = new Set(notes.map(({ path }) => path));
  const others = decoded.repairs.filter(
    ({ kind, path }) => !(kind === "unknown-key" || kind === "near-key") || !noted.has(path),
  );
  execution.decoded = {
    mode: decoded.mode === "partial" ? "partial" : "repaired",
    degree: "lossy",
    repairs: [...others, ...notes],
  };
  const messages = issues.map(({ message }) => message).join(" ");
  execution.advise(`The call ran without arguments that ${tool.name} does not have. ${messages}`);
}

function isSameAt(keys: readonly (string | number)[], input: unknown, made: unknown): boolean {
  const at = (value: unknown) =>
    keys.reduce<unknown>((part, key) => (part as Record<string | number, unknown> | undefined)?.[key], value);
  return argumentsText(at(input)) === argumentsText(at(made));
}

function noteOf(keys: readonly (string | number)[]): Repair {
  const path = keys.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  return { kind: "unknown-key", degree: "lossy", path, before: String(keys.at(-1)).slice(0, 80), after: "" };
}
