import { declareOptions, type OptionTable } from "../options/declare-options.ts";
import { callback, strings } from "../options/kinds.ts";
import { hasSideEffects } from "../tool/safety.ts";
import type { Guard, GuardInput } from "./guard.ts";
import { leavesOf } from "./match/leaves.ts";
import { meansAny } from "./match/paths.ts";

export interface ProtectedPathsOptions {
  /** Patterns such as ".git/**", "**\/.env". */
  paths: readonly string[];
  /** The paths in a call's arguments. Default: every string in them, however deep, and keys that are data. */
  pathsOf?: (input: GuardInput) => readonly string[];
}

const protectedPathsOptions = declareOptions("protectedPaths", {
  paths: strings('a list of patterns such as ".git/**"', { required: true }),
  pathsOf: callback(),
} satisfies OptionTable<ProtectedPathsOptions>);

/**
 * Calls with side effects that name a protected path do not run. A path inside a longer text, such as a command line,
 * is found only by a `pathsOf` that knows how to read it.
 *
 * @example
 * ```ts
 * import { Executor, protectedPaths, tool } from "@toolrig/core";
 *
 * const input = { type: "object", properties: { path: { type: "string" } } } as const;
 * const write = tool({ name: "write_file", description: "Write", input, execute: () => "written" });
 * const guard = protectedPaths({ paths: [".git/**", ".env"] });
 * const executor = new Executor({ tools: [write], guards: [guard] });
 *
 * const call = { id: "call_1", name: "write_file", arguments: { path: "src/../.git/config" } };
 * console.log((await executor.call(call)).failure?.code); //=> TOOL_BLOCKED
 * ```
 */
export function protectedPaths(options: ProtectedPathsOptions): Guard {
  protectedPathsOptions.check(options);
  const pathsOf: (input: GuardInput) => readonly string[] | undefined = options.pathsOf ?? stringArguments;
  const paths = [...options.paths];
  return {
    name: "protected-paths",
    judgesEdits: true,
    before(input) {
      if (!hasSideEffects(input.tool.safety)) return undefined;
      const named = pathsOf(input);
      if (named === undefined)
        return { verdict: "deny", reason: "the arguments have no end, and could name what is protected" };
      const hit = named.find((path) => meansAny(path, paths));
      return hit === undefined
        ? undefined
        : { verdict: "deny", reason: `${hit} is protected and cannot be changed` };
    },
  };
}

/** Undefined for arguments that cannot be read to their end. */
function stringArguments({ args, tool }: GuardInput): string[] | undefined {
  const leaves = leavesOf(args, tool.input.jsonSchema);
  if (leaves.some(({ unread }) => unread === true)) return undefined;
  return leaves.flatMap(({ value }) => (typeof value === "string" ? [value] : []));
}
