import type { Effect } from "../effects.ts";
import type { Guard, GuardInput } from "../guard.ts";
import { hasSideEffects } from "../safety.ts";
import { matchesAny } from "./glob.ts";

/** Runs whose state is remembered; the oldest are forgotten first. */
const MOST_RUNS = 10_000;

/** Per run, a set of facts. */
class RunFacts {
  readonly #runs = new Map<string, Set<string>>();

  of({ runId = "" }: { runId?: string | undefined }): Set<string> {
    let facts = this.#runs.get(runId);
    if (facts === undefined) {
      facts = new Set();
      this.#runs.set(runId, facts);
      if (this.#runs.size > MOST_RUNS) this.#runs.delete(this.#runs.keys().next().value!);
    }
    return facts;
  }
}

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
  const seen = new RunFacts();
  return {
    name: "read-before-write",
    async before(input) {
      if (!writers.includes(input.tool.name)) return undefined;
      const path = pathOf(input);
      if (path === undefined || seen.of(input).has(normalPath(path))) return undefined;
      if (exists !== undefined && !(await exists(path))) return undefined;
      return {
        verdict: "deny",
        reason: `${path} has not been read in this run; read it first, then change it`,
      };
    },
    after(input) {
      const touches = readers.includes(input.tool.name) || writers.includes(input.tool.name);
      const path = touches && !input.result.isError ? pathOf(input) : undefined;
      if (path !== undefined) seen.of(input).add(normalPath(path));
      return undefined;
    },
  };
}

/** Nothing is changed before the run has called the planning tool. */
export function planFirst({ planner }: { planner: string }): Guard {
  const planned = new RunFacts();
  return {
    name: "plan-first",
    before(input) {
      if (input.tool.name === planner || !hasSideEffects(input.tool.safety) || planned.of(input).has(planner))
        return undefined;
      return { verdict: "deny", reason: `make a plan with ${planner} before anything is changed` };
    },
    after(input) {
      if (input.tool.name === planner && !input.result.isError) planned.of(input).add(planner);
      return undefined;
    },
  };
}

export interface ProtectedPathsOptions {
  /** Patterns such as ".git/**", "**\/.env". */
  paths: readonly string[];
  /** The paths in a call's arguments. Default: every string argument. */
  pathsOf?: (input: GuardInput) => readonly string[];
}

/** Calls with side effects that name a protected path do not run. */
export function protectedPaths({ paths, pathsOf = stringArguments }: ProtectedPathsOptions): Guard {
  return {
    name: "protected-paths",
    before(input) {
      if (!hasSideEffects(input.tool.safety)) return undefined;
      const hit = pathsOf(input).find((path) => matchesAny(normalPath(path), paths));
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
    async after(input) {
      const changed = (input.effects ?? []).filter(
        (effect) => effect.type === "file" && matchesAny(normalPath(effect.path), paths),
      );
      if (changed.length === 0) return undefined;
      const problem = await verify(changed, input);
      return problem === undefined
        ? undefined
        : { verdict: "advise", text: `verification failed: ${problem}` };
    },
  };
}

function argumentPath({ args }: GuardInput): string | undefined {
  const path = typeof args === "object" && args !== null && "path" in args ? args.path : undefined;
  return typeof path === "string" ? path : undefined;
}

function stringArguments({ args }: GuardInput): string[] {
  if (typeof args !== "object" || args === null) return [];
  return Object.values(args).flatMap((value) =>
    typeof value === "string"
      ? [value]
      : Array.isArray(value)
        ? value.filter((each) => typeof each === "string")
        : [],
  );
}

/** One spelling a path: "./a//b/../c" and "a/c" are the same file. */
export function normalPath(path: string): string {
  const absolute = /^[/\\]/.test(path);
  const kept: string[] = [];
  for (const part of path.split(/[/\\]+/)) {
    if (part === "" || part === ".") continue;
    if (part === ".." && kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (part !== ".." || !absolute) kept.push(part);
  }
  return (absolute ? "/" : "") + kept.join("/");
}
