import type { CallingLoop } from "../call/calling-loop.ts";
import type { Deferred } from "../call/deferred.ts";
import type { Principal } from "../call/principal.ts";
import type { MarkedOutcome } from "../call/result.ts";
import type { ToolFailure } from "../failure/failure.ts";
import type { Checks } from "../options/check.ts";
import { declareOptions, type OptionTable } from "../options/declare-options.ts";
import type { Duration } from "../options/duration.ts";
import {
  amount,
  anything,
  callback,
  checked,
  count,
  duration,
  flag,
  group,
  listOf,
  object,
  oneOf,
  strings,
  text,
  that,
} from "../options/kinds.ts";
import type { AcceptedSchema } from "../schema/accept.ts";
import type { InferInput, InferReturn } from "../schema/infer.ts";
import type { ToolContext, WaitContext } from "./context.ts";
import type { ToolDefinition } from "./definition.ts";
import { type Labels, labelOptions } from "./labels.ts";
import { type Safety, SIDE_EFFECTS, type SideEffects } from "./safety.ts";
import { isVersion } from "./version.ts";

/** A resource a call touches. Calls that conflict on a key wait for each other. */
export type Lock = string | { key: string; mode: "read" | "write" };

/** `limit` calls at once, refilled evenly over `per`. A call that would wait longer than `wait` is refused. */
export interface Rate {
  limit: number;
  per: Duration;
  /** Default "5s". */
  wait?: Duration;
}

export interface Retry {
  /** Starts in all, the first included. Default 3. */
  attempts?: number;
  /** Delay before the second start; doubles each time, with full jitter. Default "200ms". */
  backoff?: Duration;
  /** Default "10s". */
  maxBackoff?: Duration;
  /** Also start again after a timeout. Default false. */
  timeouts?: boolean;
}

/** Hints for whoever offers tools to a model. */
export interface Preference {
  /** False: not offered to a model, by selection or without, and still callable. Default true. */
  enabled?: boolean;
  /** What the tool's rank in a selection is multiplied by. Default 1. */
  weight?: number;
  /**
   * Values for parameters that a call leaves out, such as `{ max_results: 10 }`. The model is shown them as defaults.
   */
  overrides?: Record<string, unknown>;
}

export interface Example {
  arguments: unknown;
  description?: string;
}

/** What became of an open intent: asked after a crash, before anything is run again. */
export type Reconciled =
  | { outcome: "completed"; value?: unknown }
  | { outcome: "never-ran" }
  | { outcome: "unknown" };

/** The call that `approval` decides about. */
export interface AskedCall {
  readonly callId: string;
  readonly runId: string | undefined;
  readonly principal: Principal | undefined;
  /** See `ToolContext`. */
  readonly loop: CallingLoop | undefined;
}

/** Everything `execute` may answer with, beyond the value itself. */
export type ToolReturn<Output> = Output | MarkedOutcome | ToolFailure | Deferred;

/** How long a result that comes later is waited for, and how often `check` is asked for it. */
interface WaitSettings {
  /** Then the call counts as timed out. Default "24h". */
  expires?: Duration;
  /** The first check; later ones come at growing intervals, with jitter. Default "5s". */
  every?: Duration;
  /** The longest interval between two checks. Default "5m". */
  maxEvery?: Duration;
}

/** Everything `execute` may answer with for an `output` schema. */
export type ReturnFor<OutputSchema> = InferReturn<OutputSchema> | MarkedOutcome | ToolFailure | Deferred;

export interface ToolSpec<Schema, Output, OutputSchema = unknown> {
  /** Snake case, verb first: the model chooses by it. */
  name: string;
  /** Semantic version. Several versions of a name can be registered. */
  version?: string;
  description: string;
  /** Any Standard Schema that can give JSON Schema, a TypeBox type, or plain JSON Schema 2020-12. */
  input: Schema;
  /**
   * Enforced when given: a value that does not match fails the call. Where the schema has a type, the compiler compares it with
   * what `execute` returns; constants count as their type.
   */
  output?: OutputSchema;
  /** Undeclared counts as external and not idempotent. */
  safety?: { sideEffects: SideEffects; idempotent?: boolean; requires?: readonly string[] };
  /** Absolute limit of one attempt. Default: the executor's. */
  timeout?: Duration;
  /** Limit of silence: reset by each update. */
  idleTimeout?: Duration;
  /** How many calls of this tool run at once. */
  concurrency?: number;
  rate?: Rate;
  retry?: Retry;
  /** "sequential" makes any batch it is part of sequential. Default "parallel". */
  mode?: "parallel" | "sequential";
  locks?(args: InferInput<Schema>): readonly Lock[];
  /** The answer depends on the arguments alone (until something is written), so it may be remembered. */
  pure?: boolean;
  /** Who shares the remembered answers of a pure tool: calls of one principal, or all calls. Default "principal". */
  memo?: "principal" | "shared";
  /** Whether intent and outcome are kept in the ledger. Always for tools with side effects; default false for others. */
  ledger?: boolean;
  /** Whether the tool can run now: true, or why not. Read anew on every listing, so keep it cheap. */
  available?(): boolean | string;
  /** Rewrites raw arguments before they are validated. */
  prepare?(raw: unknown): unknown;
  /** What happens to a call with side effects whose arguments could be read only by guessing. Default: the executor's. */
  onGuess?: "refuse" | "ask";
  /**
   * "ignore": the tool runs although the call has arguments that `input` does not describe, and the schema decides whether they
   * are passed on. By default a tool with side effects refuses the call, and a tool that only reads runs without them.
   */
  unknownArguments?: "ignore";
  /** Whether a person must approve the call. */
  approval?: boolean | ((args: InferInput<Schema>, call: AskedCall) => boolean | Promise<boolean>);
  /** Asked after a crash what became of an open call. */
  reconcile?(args: InferInput<Schema>, idempotencyKey: string): Reconciled | Promise<Reconciled>;
  /**
   * Asked again and again for the result of a call that `execute` deferred, by one process at a time: undefined means not yet,
   * anything else is the result. What it throws is no result either: it is asked again.
   */
  check?(ref: unknown, context: WaitContext): unknown;
  /** Told that nobody waits any more for a result that `execute` deferred. */
  cancel?(ref: unknown, context: WaitContext): unknown;
  wait?: WaitSettings;
  /**
   * A call that takes longer goes on in the background, for callers who do not hold it: `onWaiting: "return"`, and loops that
   * continue.
   */
  background?: Duration;
  /** How the tool is implemented, for listings: "function" by default, "cli", "mcp", ... */
  type?: string;
  /** For user interfaces. Does not affect execution. */
  label?: string;
  labels?: Labels;
  preference?: Preference;
  examples?: readonly Example[];
  /**
   * May be a generator: what it yields is progress, what it returns is the result. "external": the code is elsewhere, in a
   * browser or another service; the call is handed out and its result comes back by `complete`.
   */
  execute:
    | "external"
    | ((
        args: InferInput<Schema>,
        context: ToolContext,
      ) =>
        | ToolReturn<Output>
        | Promise<ToolReturn<Output>>
        | AsyncGenerator<unknown, ToolReturn<Output>, unknown>
        | Generator<unknown, ToolReturn<Output>, unknown>);
}

export const rateOptions = declareOptions("rate", {
  limit: count(1, { required: true }),
  per: duration({ required: true }),
  wait: duration({ zero: true, default: "5s" }),
} satisfies OptionTable<Rate>);

export const retryOptions = declareOptions("retry", {
  attempts: count(1, { default: 3, aliases: ["maxAttempts", "retries", "maxRetries"] }),
  backoff: duration({ zero: true, default: "200ms" }),
  maxBackoff: duration({ default: "10s" }),
  timeouts: flag({ default: false }),
} satisfies OptionTable<Retry>);

export const waitOptions = declareOptions("wait", {
  expires: duration({ default: "24h" }),
  every: duration({ default: "5s" }),
  maxEvery: duration({ default: "5m" }),
} satisfies OptionTable<WaitSettings>);

const preferenceOptions = declareOptions("preference", {
  enabled: flag({ default: true }),
  weight: amount(0, { default: 1 }),
  overrides: object(),
} satisfies OptionTable<Preference>);

const safetyOptions = declareOptions("safety", {
  sideEffects: oneOf(SIDE_EFFECTS, { required: true }),
  idempotent: flag({ default: false }),
  requires: strings('a list of capability names such as ["network"]'),
} satisfies OptionTable<NonNullable<ToolSpec<unknown, unknown>["safety"]>>);

/** Options of `tool()`. What needs more than one of them to be judged is checked in `check-spec.ts`. */
export const toolOptions = declareOptions("tool()", {
  name: text({ required: true }),
  version: that('a semantic version such as "1.2.0"', isVersion),
  description: text({ required: true }),
  input: anything("a Standard Schema, a TypeBox type or JSON Schema", {
    required: true,
    aliases: ["parameters", "schema", "inputSchema", "args"],
  }),
  output: anything("a Standard Schema, a TypeBox type or JSON Schema", { aliases: ["outputSchema"] }),
  safety: group(safetyOptions),
  timeout: duration({ aliases: ["timeoutMs"] }),
  idleTimeout: duration(),
  concurrency: count(1, { aliases: ["maxConcurrency"] }),
  rate: group(rateOptions, { aliases: ["rateLimit"] }),
  retry: group(retryOptions, { aliases: ["retries", "maxRetries"] }),
  mode: oneOf(["parallel", "sequential"], { default: "parallel" }),
  locks: callback(),
  pure: flag({ default: false }),
  memo: oneOf(["principal", "shared"], { default: "principal" }),
  ledger: flag(),
  available: callback("a function", { aliases: ["isEnabled", "enabled"] }),
  prepare: callback(),
  onGuess: oneOf(["refuse", "ask"]),
  unknownArguments: oneOf(["ignore"]),
  approval: checked("true, false or a function of the arguments", checkApproval, {
    aliases: ["needsApproval", "requireApproval", "requiresApproval"],
  }),
  reconcile: callback(),
  check: callback(),
  cancel: callback(),
  wait: group(waitOptions),
  background: duration(),
  type: text(),
  label: text({ aliases: ["title"] }),
  labels: group(labelOptions),
  preference: group(preferenceOptions),
  examples: listOf("a list of { arguments }", object("{ arguments }"), { aliases: ["inputExamples"] }),
  execute: checked('a function, or "external"', checkExecute, {
    required: true,
    aliases: ["handler", "func", "run", "invoke", "call"],
  }),
} satisfies OptionTable<ToolSpec<unknown, unknown>>);

function checkApproval(field: string, value: unknown, checks: Checks): void {
  if (typeof value !== "boolean" && typeof value !== "function")
    throw checks.invalid(field, "true, false or a function of the arguments", value);
}

function checkExecute(field: string, value: unknown, checks: Checks): void {
  if (value !== "external") checks.function(field, value, 'a function, or "external"');
}

/** A checked tool: what `tool()` returns and registries hold. Immutable. */
export interface Tool<Args = unknown, Output = unknown> {
  readonly name: string;
  readonly version: string | undefined;
  readonly type: string;
  readonly definition: ToolDefinition;
  readonly safety: Safety;
  readonly input: AcceptedSchema;
  readonly output: AcceptedSchema | undefined;
  /** False for tools whose schema comes from outside this program. */
  readonly trusted: boolean;
  readonly timeoutMs: number | undefined;
  readonly idleTimeoutMs: number | undefined;
  readonly concurrency: number | undefined;
  readonly rate: { limit: number; perMs: number; waitMs: number } | undefined;
  readonly retry: RetryPolicy;
  readonly mode: "parallel" | "sequential";
  readonly onGuess: "refuse" | "ask" | undefined;
  readonly unknownArguments: "ignore" | undefined;
  readonly pure: boolean;
  readonly memo: "principal" | "shared";
  readonly ledger: boolean;
  readonly label: string | undefined;
  readonly labels: Labels | undefined;
  readonly preference: Preference | undefined;
  readonly examples: readonly Example[];
  readonly locks: ((args: Args) => readonly Lock[]) | undefined;
  readonly prepare: ((raw: unknown) => unknown) | undefined;
  readonly approval: ((args: Args, call: AskedCall) => boolean | Promise<boolean>) | undefined;
  readonly reconcile: ((args: Args, idempotencyKey: string) => Reconciled | Promise<Reconciled>) | undefined;
  readonly check: ((ref: unknown, context: WaitContext) => unknown) | undefined;
  readonly cancel: ((ref: unknown, context: WaitContext) => unknown) | undefined;
  readonly wait: { expiresMs: number; everyMs: number; maxEveryMs: number };
  readonly backgroundMs: number | undefined;
  /** `execute` is a generator: what it yields is progress. */
  readonly streams: boolean;
  /** True, or the reason why it cannot run now. Never throws. */
  available(): true | string;
  execute(args: Args, context: ToolContext): unknown;
  /** Never set: carries the type of the value that a call resolves to. */
  readonly "~output"?: Output;
}

export interface RetryPolicy {
  attempts: number;
  backoffMs: number;
  maxBackoffMs: number;
  timeouts: boolean;
}

// A registry holds tools of any argument type; only the executor calls `execute`, with validated arguments.
// biome-ignore lint/suspicious/noExplicitAny: the argument type is contravariant, and `never` would refuse every list
export type AnyTool = Tool<any, unknown>;

/** The type of the value a tool returns. */
export type OutputOf<T> = T extends Tool<never, infer Output> ? Output : never;
