import { type AnyTool, type Policy, ToolrigError } from "@toolrig/core";
import type { FleetOptions, NatsOptions, WorkerConfig } from "@toolrig/nats";
import type { RigOptions } from "../rig/assemble.ts";
import { didYouMean } from "../shell/did-you-mean.ts";

/** What `toolrig.config.ts` exports: the options of a rig, and settings of single commands. Paths are relative to it. */
export interface Config extends Omit<RigOptions, "tools" | "policy"> {
  /** Tools, a tool set, a source, or a list with paths of modules that export tools. */
  tools?: NonNullable<RigOptions["tools"]> | readonly (AnyTool | string)[];
  /** A policy, or the path of a JSON file that holds one. */
  policy?: Policy | string;
  /** The model of `toolrig run`, such as "openai:gpt-5"; `engine` is one that the config made itself. */
  model?: string;
  /** The server of `toolrig worker`, `fleet` and `dlq`: a URL, or the client's options with its credentials. */
  nats?: string | NatsOptions;
  /** What the fleet keeps on its server. */
  fleet?: FleetOptions;
  /** How `toolrig worker` works. */
  worker?: WorkerConfig;
  /** Public keys (Ed25519, PEM) whose holders may sign approvals for calls that a worker runs. */
  approvalKeys?: readonly string[];
}

/**
 * The config, with its type: completion and checks in the editor.
 *
 * @example
 * ```ts
 * // toolrig.config.ts
 * import { defineConfig, tool } from "toolrig";
 *
 * const input = { type: "object" } as const;
 * const ping = tool({ name: "ping", description: "Answer", input, execute: () => "pong" });
 *
 * export default defineConfig({ tools: [ping], store: "toolrig.db", timeout: "10s" });
 * ```
 */
export function defineConfig(config: Config): Config {
  return config;
}

type Rule = readonly [expected: string, holds: (value: unknown) => boolean];

const isObject = (value: unknown) => typeof value === "object" && value !== null;
const isFunction = (value: unknown) => typeof value === "function";
const isText = (value: unknown) => typeof value === "string";
const isListOf = (holds: (item: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(holds);
const textOrObject = (value: unknown) => isText(value) || isObject(value);
const object: Rule = ["an object", isObject];
const text: Rule = ["text", isText];
const switchOrOptions: Rule = [
  "true, false or options",
  (value) => typeof value === "boolean" || isObject(value),
];
const names: Rule = ["a list of names", isListOf(isText)];

/** Every setting there is. Those without a rule are checked where the rig is assembled, which names them too. */
const FIELDS: { readonly [Field in keyof Required<Config>]: Rule | undefined } = {
  tools: ["a list of tools or module paths, a tool set, or a tool source", isObject],
  allow: names,
  timeout: undefined,
  mode: undefined,
  capabilities: names,
  concurrency: undefined,
  hooks: object,
  guards: ["a list of guards", isListOf(isObject)],
  approve: ["a function", isFunction],
  events: ["an event log, an event stream or a function", (value) => isObject(value) || isFunction(value)],
  store: ["the path of a store, or a store", textOrObject],
  descriptions: object,
  policy: ["a policy, or the path of a JSON file with one", textOrObject],
  dynamicTools: switchOrOptions,
  code: switchOrOptions,
  engine: ["an engine such as aiSdkEngine(model)", isObject],
  system: text,
  mcp: ['an object such as { servers: { docs: { command: "docs-mcp" } } }', isObject],
  telemetry: switchOrOptions,
  model: ['text such as "openai:gpt-5"', isText],
  nats: ['a URL such as "nats://127.0.0.1:4222", or connection options', textOrObject],
  fleet: object,
  worker: object,
  approvalKeys: ["a list of keys in PEM", isListOf(isText)],
  ledger: object,
  waits: object,
  mayAnswer: ["a function", isFunction],
  onUnrecorded: undefined,
  artifacts: object,
  maxContent: undefined,
  onGuess: undefined,
  answerWithin: undefined,
  onUnavailable: undefined,
  redact: object,
  clock: object,
};

/** Checks what a config file exports. Throws `CONFIG_INVALID` with the file and the field. */
export function checkConfig(value: unknown, file: string): Config {
  if (!isObject(value) || Array.isArray(value)) {
    throw invalid(file, `expected an object such as { tools: [...] }; got ${describe(value)}.`);
  }
  for (const [field, given] of Object.entries(value as object)) {
    if (!Object.hasOwn(FIELDS, field)) {
      throw invalid(file, `"${field}" is not a setting.${didYouMean(field, Object.keys(FIELDS))}`);
    }
    const rule = FIELDS[field as keyof Config];
    if (rule === undefined || given === undefined || rule[1](given)) continue;
    throw invalid(file, `${field} must be ${rule[0]}; got ${describe(given)}.`);
  }
  return value as Config;
}

function invalid(file: string, problem: string): ToolrigError {
  return new ToolrigError("CONFIG_INVALID", `${file}: ${problem}`);
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (value === null || typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "string") return JSON.stringify(value);
  return value === undefined ? "nothing" : `a${typeof value === "object" ? "n" : ""} ${typeof value}`;
}
