import { declareOptions, type OptionTable } from "../options/declare-options.ts";
import { callback, strings } from "../options/kinds.ts";
import type { Guard, GuardInput } from "./guard.ts";
import { normalPath } from "./match/paths.ts";
import { RunStates } from "./run-states.ts";

export interface ReadBeforeWriteOptions {
  /** Tools that read a path. */
  readers: readonly string[];
  /** Tools that change a path. */
  writers: readonly string[];
  /** The one path in a call's arguments. Default: the argument `path`. A writer for whose call it finds none is denied. */
  pathOf?: (input: GuardInput) => string | undefined;
  /** Whether there is something at a path. What is new need not be read. Default: always. */
  exists?: (path: string) => boolean | Promise<boolean>;
}

const readBeforeWriteOptions = declareOptions("readBeforeWrite", {
  readers: strings("a list of tool names", { required: true }),
  writers: strings("a list of tool names", { required: true }),
  pathOf: callback(),
  exists: callback(),
} satisfies OptionTable<ReadBeforeWriteOptions>);

/**
 * A path is changed only after this run has read it: a model that has not looked would overwrite blindly. A writer that does
 * not say what it changes does not run.
 */
export function readBeforeWrite(options: ReadBeforeWriteOptions): Guard {
  readBeforeWriteOptions.check(options);
  const { pathOf = argumentPath, exists } = options;
  const readers = [...options.readers];
  const writers = [...options.writers];
  const seen = new RunStates(() => new Set<string>());
  return {
    name: "read-before-write",
    before(input) {
      if (!writers.includes(input.tool.name)) return undefined;
      const path = pathOf(input);
      if (typeof path !== "string") return { verdict: "deny", reason: withoutPath(input.tool.name, pathOf) };
      if (seen.of(input.runId).has(normalPath(path))) return undefined;
      const reason = `${path} has not been read in this run; read it first, then change it`;
      const deny = { verdict: "deny", reason } as const;
      if (exists === undefined) return deny;
      return Promise.resolve(exists(path)).then((there) => (there ? deny : undefined));
    },
    after(input) {
      const touches = readers.includes(input.tool.name) || writers.includes(input.tool.name);
      const path = touches && !input.result.isError ? pathOf(input) : undefined;
      if (typeof path === "string") seen.of(input.runId).add(normalPath(path));
      return undefined;
    },
  };
}

function withoutPath(name: string, pathOf: unknown): string {
  const fix =
    pathOf === argumentPath
      ? "name it as one text in `path`, or let the program say with pathOf where it is"
      : "its pathOf must give one text";
  return `what ${name} would change cannot be found in its arguments, so whether it was read cannot be said: ${fix}`;
}

function argumentPath({ args }: GuardInput): string | undefined {
  const path = typeof args === "object" && args !== null && "path" in args ? args.path : undefined;
  return typeof path === "string" ? path : undefined;
}
