import { type Checks, declareOptions, type OptionTable, option } from "@toolrig/core/kit";
import { limitOptions, type SandboxLimits } from "./limits.ts";

/** Code to run, and everything it can reach. */
export interface SandboxRun extends SandboxHost {
  /** JavaScript: the body of an async function in strict mode. What it returns is the value of the run. */
  code: string;
  /** Names the code in stacks. Default "script.js". */
  filename?: string;
  /** JSON values that the code sees as global constants, such as `input`. */
  globals?: Readonly<Record<string, unknown>>;
  /** Names of async functions on the global `tools`. Each takes one JSON value and is answered by `onCall`. */
  tools?: readonly string[];
}

/** The host's side of a run, the same when it starts and when it goes on. */
export interface SandboxHost {
  /** Answers a call. What it throws ends the run and is thrown by it: the code never sees it. */
  onCall?(call: SandboxCall): CallAnswer | Promise<CallAnswer>;
  /** What it throws ends the run and is thrown by it, unless the run has ended by then. */
  onLog?(line: SandboxLog): void;
  /** Narrower than those of the sandbox. */
  limits?: SandboxLimits;
  signal?: AbortSignal;
  /** The id of the principal on whose behalf the code runs: threads are shared fairly between principals. Default: none. */
  principal?: string;
  /** What a snapshot belongs to, such as an execution's id. A resumed one must be given the same. Default "". */
  boundTo?: string;
}

export const hostOptions = declareOptions("a run of a sandbox", {
  onCall: option.callback(),
  onLog: option.callback(),
  limits: option.group(limitOptions),
  signal: option.abortSignal(),
  principal: option.id(),
  boundTo: option.that("text, such as an execution's id", (value) => typeof value === "string", {
    default: "",
  }),
} satisfies OptionTable<SandboxHost>);

export const runOptions = declareOptions("sandbox.run", {
  ...hostOptions.table,
  code: option.that("JavaScript text", (value) => typeof value === "string", { required: true }),
  filename: option.text({ default: "script.js" }),
  globals: option.checked("an object of JSON values by identifiers", checkGlobals),
  tools: option.checked("a list of different names", checkNames),
} satisfies OptionTable<SandboxRun>);

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** Globals that the engine does not let anybody define. */
const TAKEN = ["tools", "console", "undefined", "NaN", "Infinity", "globalThis"];

function checkGlobals(field: string, globals: unknown, checks: Checks): void {
  checks.object(field, globals);
  for (const name of Object.keys(globals as object))
    if (!IDENTIFIER.test(name) || TAKEN.includes(name))
      throw checks.invalid(field, `named by identifiers other than ${TAKEN.join(", ")}`, name);
}

function checkNames(field: string, value: unknown, checks: Checks): void {
  const names = checks.strings(field, value, "a list of names");
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw checks.invalid(field, "a list of different names", twice);
}

export interface SandboxCall {
  /** Unique in the run, also after it was resumed. */
  readonly id: number;
  readonly name: string;
  readonly args: unknown;
}

export type CallAnswer =
  | { readonly status: "done"; readonly value?: unknown }
  | { readonly status: "failed"; readonly error: CallError }
  /** The answer comes with `resume`. When nothing but such calls is left to do, the run is paused. */
  | { readonly status: "waiting" };

/** What the code catches: an `Error` with this name and message, and every other field as a property. */
export interface CallError {
  readonly message: string;
  readonly name?: string;
  readonly [more: string]: unknown;
}

export interface SandboxLog {
  readonly level: "log" | "info" | "warn" | "error" | "debug";
  readonly text: string;
}

/** How a run ended. Whatever the code does, it is one of these. */
export type SandboxOutcome = SandboxUsage &
  (
    | { readonly status: "returned"; readonly value: unknown }
    | { readonly status: "threw"; readonly error: CodeError }
    | { readonly status: "limit"; readonly limit: LimitName; readonly message: string }
    | { readonly status: "paused"; readonly snapshot: Uint8Array; readonly pending: readonly SandboxCall[] }
    | { readonly status: "cancelled" }
    /** The snapshot is none of this sandbox, of this key, of `boundTo` or of this engine. Nothing of it ran. */
    | { readonly status: "refused"; readonly message: string }
    /** The engine itself failed. Nothing that the code did may be relied upon. */
    | { readonly status: "broken"; readonly message: string }
  );

/** What a run took, earlier parts of it included. */
interface SandboxUsage {
  readonly used: {
    /** Milliseconds in which the code ran. */
    readonly time: number;
    readonly steps: number;
    readonly calls: number;
    /** Bytes of the engine's memory at most, itself included. */
    readonly memory: number;
  };
}

export type LimitName =
  | "memory"
  | "time"
  | "steps"
  | "wall"
  | "calls"
  | "code"
  | "args"
  | "result"
  | "stack"
  | "snapshot"
  | "queue";

/** What the code threw, in its own words. Lines and columns are those of the given code, from 1. */
export interface CodeError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly line?: number;
  readonly column?: number;
  /** Its other fields, where JSON can hold them: of a failed call, what the host said about it. */
  readonly details?: Readonly<Record<string, unknown>>;
}
