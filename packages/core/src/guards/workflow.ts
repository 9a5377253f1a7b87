import type { Effect } from "../effects.ts";
import type { Guard, GuardInput } from "../guard.ts";
import { hasSideEffects } from "../safety.ts";
import { leavesOf } from "./leaves.ts";
import { meansAny, normalPath } from "./paths.ts";
import { RunStates } from "./run-states.ts";

export interface ReadBeforeWriteOptions {
  /** Tools that read a path. */
  readers: readonly string[];
  /** Tools that change a path. */
  writers: readonly string[];
  /** The path in a call's arguments. Default: the argument `path`. */
  pathOf?: (input: GuardInput) => string | undefined;
  /** Whether there is something at a path. What is new need not be read. Default: always. */
  exists?: (path: string) => boolean | Promise<boolean>;
}

/** A path is changed only after this run has read it: a model that has not looked would overwrite blindly. */
export function readBeforeWrite({
  readers,
  writers,
  pathOf = argumentPath,
  exists,
}: ReadBeforeWriteOptions): Guard {
  const seen = new RunStates(() => new Set<string>());
  return {
    name: "read-before-write",
    before(input) {
      if (!writers.includes(input.tool.name)) return undefined;
      const path = pathOf(input);
      if (path === undefined || seen.of(runOf(input)).has(normalPath(path))) return undefined;
      const reason = `${path} has not been read in this run; read it first, then change it`;
      const deny = { verdict: "deny", reason } as const;
      if (exists === undefined) return deny;
      return Promise.resolve(exists(path)).then((there) => (there ? deny : undefined));
    },
    after(input) {
      const touches = readers.includes(input.tool.name) || writers.includes(input.tool.name);
      const path = touches && !input.result.isError ? pathOf(input) : undefined;
      if (path !== undefined) seen.of(runOf(input)).add(normalPath(path));
      return undefined;
    },
  };
}

/** Nothing is changed before the run has called the planning tool. */
export function planFirst({ planner }: { planner: string }): Guard {
  const planned = new RunStates(() => new Set<string>());
  return {
    name: "plan-first",
    before(input) {
      if (
        input.tool.name === planner ||
        !hasSideEffects(input.tool.safety) ||
        planned.of(runOf(input)).has(planner)
      )
        return undefined;
      return { verdict: "deny", reason: `make a plan with ${planner} before anything is changed` };
    },
    after(input) {
      if (input.tool.name === planner && !input.result.isError) planned.of(runOf(input)).add(planner);
      return undefined;
    },
  };
}

export interface ProtectedPathsOptions {
  /** Patterns such as ".git/**", "**\/.env". */
  paths: readonly string[];
  /** The paths in a call's arguments. Default: every string in them, however deep, and keys that are data. */
  pathsOf?: (input: GuardInput) => readonly string[];
}

/**
 * Calls with side effects that name a protected path do not run. A path inside a longer text, such as a command line,
 * is found only by a `pathsOf` that knows how to read it.
 */
export function protectedPaths({ paths, pathsOf = stringArguments }: ProtectedPathsOptions): Guard {
  return {
    name: "protected-paths",
    judgesEdits: true,
    before(input) {
      if (!hasSideEffects(input.tool.safety)) return undefined;
      const hit = pathsOf(input).find((path) => meansAny(path, paths));
      return hit === undefined
        ? undefined
        : { verdict: "deny", reason: `${hit} is protected and cannot be changed` };
    },
  };
}

export interface VerifyOptions {
  /** Patterns of changed files that call for a check. */
  paths: readonly string[];
  /** What is wrong after the change, or nothing. Usually runs a tool or a command. */
  verify: (effects: readonly Effect[], input: GuardInput) => Promise<string | undefined>;
}

/** Checks the world after files changed, and attaches what is wrong to the result. */
export function verifyAfterEffects({ paths, verify }: VerifyOptions): Guard {
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

/** Calls without a run count as one. */
function runOf({ runId = "" }: GuardInput): string {
  return runId;
}

function argumentPath({ args }: GuardInput): string | undefined {
  const path = typeof args === "object" && args !== null && "path" in args ? args.path : undefined;
  return typeof path === "string" ? path : undefined;
}

function stringArguments({ args, tool }: GuardInput): string[] {
  return leavesOf(args, tool.input.jsonSchema).flatMap(({ value }) =>
    typeof value === "string" ? [value] : [],
  );
}
