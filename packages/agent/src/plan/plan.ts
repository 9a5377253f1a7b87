import type { Duration, JsonSchema } from "@toolrig/core";

/**
 * Named steps and what they need of each other, as plain JSON: written by a person, a program or a model. A step runs
 * once everything it refers to is there; steps that do not wait for each other run at the same time.
 */
export interface Plan {
  description?: string;
  steps: readonly Step[];
  /** What the plan as a whole gives: a value in which references are filled in. */
  output?: unknown;
}

export type Step = StepBase & (Action | MapAction);

export interface StepBase {
  /** Unique in the plan. Others refer to the step's output by it. */
  name: string;
  /** Steps that must be over first, beyond those referred to. */
  after?: readonly string[];
  /** The step is skipped unless this holds. */
  when?: Condition;
  /** Limit of one attempt. */
  timeout?: Duration;
  retry?: StepRetry;
}

export interface StepRetry {
  /** Attempts in all, the first included. */
  attempts: number;
  /** Delay before the second attempt; doubles each time. Default "200ms". */
  backoff?: Duration;
}

export type Action = ToolAction | InferAction | ValidateAction | LoopAction;

/** Calls a tool. Gives the tool's value. */
export interface ToolAction {
  kind: "tool";
  tool: string;
  input?: unknown;
}

/** Asks the model once, without tools. Gives its text, or a value that matches `schema`. */
export interface InferAction {
  kind: "infer";
  /** `{{step}}` and `{{step/path}}` are filled in. */
  prompt: string;
  system?: string;
  schema?: JsonSchema;
}

/** Gives the value if it matches the schema, and fails otherwise. */
export interface ValidateAction {
  kind: "validate";
  value: unknown;
  schema: JsonSchema;
}

/** Gives a task to a loop with tools. Gives its answer, or a value that matches `schema`. */
export interface LoopAction {
  kind: "loop";
  /** `{{step}}` and `{{step/path}}` are filled in. */
  task: string;
  system?: string;
  /** Names of the tools it may call. Default: all. */
  tools?: readonly string[];
  maxToolIterations?: number;
  schema?: JsonSchema;
}

/** Does the same for every item of a list, as `item` and `index`. Gives the list of outputs. */
export interface MapAction {
  kind: "map";
  over: unknown;
  do: Action;
  /** How many items at a time. Default 8. */
  concurrency?: number;
}

/** Every test that is given must hold. */
export interface Condition {
  value: unknown;
  equals?: unknown;
  notEquals?: unknown;
  in?: readonly unknown[];
  exists?: boolean;
  above?: number;
  below?: number;
}

/** Stands for the output of a step, or a place in it given as a JSON Pointer. */
export interface Reference {
  $from: string;
  path?: string;
}

/** Names that references can use besides those of steps. */
export const RESERVED: ReadonlySet<string> = new Set(["input", "item", "index"]);
