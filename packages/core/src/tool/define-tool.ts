import { type Deferred, handedOut } from "../call/deferred.ts";
import type { MarkedOutcome } from "../call/result.ts";
import { copy, freeze } from "../copy.ts";
import type { ToolFailure } from "../failure/failure.ts";
import { type Checks, checksFor } from "../options/check.ts";
import { messageOf } from "../plain.ts";
import type { InferInput } from "../schema/infer.ts";
import {
  checkExamples,
  checkPure,
  checkSchema,
  labelsOf,
  milliseconds,
  rateOf,
  retryOf,
  safetyOf,
  waitOf,
} from "./check-spec.ts";
import type { ToolContext } from "./context.ts";
import { describeTool } from "./definition.ts";
import type { ToolOrigin } from "./origin.ts";
import { overridesOf, prepareWith, withDefaults } from "./overrides.ts";
import { hasSideEffects } from "./safety.ts";
import { type AnyTool, type ReturnFor, type Tool, type ToolSpec, toolOptions } from "./tool.ts";

type Spec = ToolSpec<unknown, unknown>;

const TOOL_MARK = Symbol.for("toolrig.tool");
const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/;

/**
 * Defines a tool. Throws `TOOL_INVALID_DEFINITION`, naming the field, for a definition that could not work.
 *
 * @example
 * ```ts
 * import { tool } from "@toolrig/core";
 * import { z } from "zod";
 *
 * const addNumbers = tool({
 *   name: "add_numbers",
 *   description: "Add two numbers",
 *   input: z.object({ a: z.number(), b: z.number() }),
 *   safety: { sideEffects: "none" },
 *   execute: ({ a, b }) => a + b,
 * });
 * console.log(addNumbers.definition.inputSchema.required); //=> [ 'a', 'b' ]
 * ```
 */
export function tool<const Schema, Output extends ReturnFor<OutputSchema>, const OutputSchema = unknown>(
  spec: ToolSpec<Schema, Output, OutputSchema>,
): Tool<InferInput<Schema>, Exclude<Output, MarkedOutcome | ToolFailure | Deferred>> {
  return defineTool(spec as ToolSpec<unknown, unknown>, { trusted: true }) as AnyTool as Tool<
    InferInput<Schema>,
    Exclude<Output, MarkedOutcome | ToolFailure | Deferred>
  >;
}

/** `tool()` for definitions that come from outside: an untrusted schema is vetted before it is ever compiled. */
export function defineTool(
  spec: Spec,
  { trusted, origin }: { trusted: boolean; origin?: Pick<ToolOrigin, "name" | "source" | "replaced"> },
): AnyTool {
  const check = checksOf(spec);
  toolOptions.checkWithInherited(spec, undefined, check);
  const { name, execute } = spec;
  const safety = safetyOf(spec);
  const pure = checkPure(spec, safety, check);
  const input = checkSchema(name, "input", spec.input, trusted, check);
  const output =
    spec.output === undefined ? undefined : checkSchema(name, "output", spec.output, trusted, check);
  const examples = checkExamples(spec, input, trusted, check);
  const preference = freeze(copy(spec.preference));
  const overrides = overridesOf(preference, input, trusted, check);

  return Object.freeze({
    [TOOL_MARK]: true,
    name,
    version: spec.version,
    type: spec.type ?? (execute === "external" ? "external" : "function"),
    definition: describeTool(spec, safety, withDefaults(input.jsonSchema, overrides), output, origin),
    safety,
    input,
    output,
    trusted,
    timeoutMs: milliseconds(spec.timeout),
    idleTimeoutMs: milliseconds(spec.idleTimeout),
    concurrency: spec.concurrency,
    rate: rateOf(spec),
    retry: retryOf(spec),
    mode: spec.mode ?? "parallel",
    onGuess: spec.onGuess,
    unknownArguments: spec.unknownArguments,
    pure,
    memo: spec.memo ?? "principal",
    ledger: spec.ledger === true || hasSideEffects(safety) || defers(spec),
    label: spec.label,
    labels: labelsOf(spec, check, input),
    preference,
    examples,
    locks: spec.locks?.bind(spec),
    prepare: prepareWith(spec, overrides),
    approval: approvalOf(spec),
    reconcile: spec.reconcile?.bind(spec),
    check: spec.check?.bind(spec),
    cancel: spec.cancel?.bind(spec),
    wait: waitOf(spec),
    backgroundMs: milliseconds(spec.background),
    streams: isGenerator(execute),
    available: () => availability(spec),
    execute:
      execute === "external"
        ? handedOut
        : (args: never, context: ToolContext) => execute.call(spec, args, context),
  });
}

export function isTool(value: unknown): value is AnyTool {
  return (
    typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[TOOL_MARK] === true
  );
}

export function isGenerator(execute: unknown): boolean {
  return /Generator/.test(Object.prototype.toString.call(execute));
}

/** Checks that name the tool, once it has a name that can be. */
function checksOf(spec: Spec): Checks {
  const name = typeof spec === "object" && spec !== null && typeof spec.name === "string" ? spec.name : "?";
  const check = checksFor({
    code: "TOOL_INVALID_DEFINITION",
    where: `Tool "${name}": `,
    details: { tool: name },
  });
  check.object("definition", spec);
  if (typeof spec.name === "string" && NAME.test(spec.name)) return check;
  throw check.invalid("name", "1 to 128 letters, digits, _ . or -, not starting with a digit", spec.name);
}

function approvalOf(spec: Spec): AnyTool["approval"] {
  const { approval } = spec;
  if (approval === undefined || approval === false) return undefined;
  if (approval === true) return () => true;
  return approval.bind(spec);
}

/** Says by itself that its result may come later: then it is known by its execution from the start. */
function defers({ execute, check, cancel, wait, background }: Spec): boolean {
  return execute === "external" || [check, cancel, wait, background].some((each) => each !== undefined);
}

function availability(spec: Spec): true | string {
  if (spec.available === undefined) return true;
  const { name } = spec;
  try {
    const answer: unknown = spec.available();
    if (answer === true) return true;
    if (answer === false) return "not available at the moment";
    if (typeof answer === "string") return answer;
    return `available() of ${name} must return true or a reason, got ${typeof answer}`;
  } catch (error) {
    return `available() of ${name} threw: ${messageOf(error)}`;
  }
}
