import type { AnyTool, Policy } from "@toolrig/core";
import {
  checksFor,
  declareOptions,
  isObject,
  type OptionTable,
  omitOptions,
  option,
} from "@toolrig/core/kit";
import type { FleetOptions, NatsOptions, NatsWorkerOptions, WorkerConfig } from "@toolrig/nats";
import { type RigOptions, rigOptions } from "../rig/assemble.ts";

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
  /** The name under which commands call tools of a fleet: that of the account, where callers have accounts. */
  caller?: string;
  /**
   * The file with the seed of this participant's NKey, which nobody else may read: commands log in with it, and sign their calls.
   */
  seed?: string;
  /** What the fleet keeps on its server. */
  fleet?: FleetOptions;
  /** How `toolrig worker` works. */
  worker?: WorkerConfig;
  /** Whose calls a worker takes, and the keys that these must be signed with; or the path of a JSON file that says so. */
  callers?: NatsWorkerOptions["callers"] | string;
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

/** Options of the rig are checked again where it is assembled, with what the config names loaded. */
const configOptions = declareOptions("the configuration", {
  ...omitOptions(rigOptions, "tools", "policy"),
  tools: option.that("a list of tools or module paths, a tool set, or a tool source", isObject),
  policy: option.that("a policy, or the path of a JSON file with one", textOrObject),
  allow: option.strings("a list of names of tools and providers"),
  model: option.that('text such as "openai:gpt-5"', (value) => typeof value === "string"),
  nats: option.that('a URL such as "nats://127.0.0.1:4222", or connection options', textOrObject),
  caller: option.text(),
  seed: option.text(),
  fleet: option.object(),
  worker: option.object(),
  callers: option.that("rights by caller, or the path of a JSON file with them", textOrObject),
  approvalKeys: option.strings("a list of keys in PEM"),
} satisfies OptionTable<Config>);

function textOrObject(value: unknown): boolean {
  return typeof value === "string" || isObject(value);
}

/** Checks what a config file exports. Throws `CONFIG_INVALID` with the file and the option. */
export function checkConfig(value: unknown, file: string): Config {
  const checks = checksFor({ code: "CONFIG_INVALID", where: `${file}: ` });
  checks.object("the configuration", value, "an object such as { tools: [...] }");
  configOptions.check(value, undefined, checks);
  return value as Config;
}
