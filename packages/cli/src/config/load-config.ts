import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { checkPolicy, type Policy, ToolrigError } from "@toolrig/core";
import { check, defined, isRecord, messageOf, parseStrict } from "@toolrig/core/kit";
import type { RigOptions } from "../rig/assemble.ts";
import { readJsonFile } from "../terminal/input.ts";
import { type Config, checkConfig } from "./config.ts";
import { importModule } from "./import-module.ts";
import { loadTools } from "./load-tools.ts";
import { mcpNear } from "./mcp-near.ts";
import { noteRead } from "./module-hooks.ts";

/** In the order in which they are looked for; the first in the nearest folder is used. */
const NAMES = ["ts", "mts", "js", "mjs", "json"].map((ending) => `toolrig.config.${ending}`);

/** The config file that applies in a folder: its own or that of the nearest folder above. */
export function findConfig(folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const found = configIn(at);
    if (found !== undefined || dirname(at) === at) return found;
  }
}

/** The config of a folder itself. */
export function configIn(folder: string): string | undefined {
  return NAMES.map((name) => join(folder, name)).find((file) => existsSync(file));
}

/** A config with everything it names loaded: the options of its rig, and the settings of single commands. */
export interface LoadedConfig
  extends Pick<Config, "model" | "nats" | "fleet" | "caller" | "seed" | "worker" | "approvalKeys"> {
  /** Whose calls a worker takes. */
  readonly callers?: Exclude<Config["callers"], string | undefined>;
  readonly rig: RigOptions;
}

/**
 * Reads a config as the command line does, for a program that uses the same tools. What it names is loaded, and paths in it are
 * relative to it. Throws `CONFIG_INVALID` for anything wrong in the file.
 *
 * @example
 * ```ts
 * import { writeFileSync } from "node:fs";
 * import { loadConfig, rig } from "toolrig";
 *
 * writeFileSync("toolrig.config.json", JSON.stringify({ store: "toolrig.db", timeout: "10s" }));
 * const { rig: options } = await loadConfig("toolrig.config.json");
 * const house = rig(options);
 * console.log(house.store?.readOnly); //=> false
 * await house.close();
 * ```
 */
export async function loadConfig(file: string): Promise<LoadedConfig> {
  check.string("file", file);
  const {
    tools,
    policy,
    store,
    mcp,
    model,
    nats,
    fleet,
    caller,
    seed,
    worker,
    callers,
    approvalKeys,
    ...rest
  } = checkConfig(await exported(file), file);
  const near = (path: string) => resolve(dirname(file), path);
  return {
    rig: {
      ...rest,
      ...(tools !== undefined && { tools: isMixed(tools) ? await loadTools(tools, file) : tools }),
      ...(policy !== undefined && { policy: await policyOf(policy, file, near) }),
      ...(store !== undefined && { store: typeof store === "string" ? near(store) : store }),
      ...(mcp !== undefined && { mcp: mcpNear(mcp, near) }),
    },
    ...defined({ model, nats, fleet, caller, worker, approvalKeys }),
    ...(seed !== undefined && { seed: near(seed) }),
    ...(callers !== undefined && { callers: await callersOf(callers, file, near) }),
  };
}

async function policyOf(
  policy: Policy | string,
  file: string,
  near: (path: string) => string,
): Promise<Policy> {
  const where = typeof policy === "string" ? near(policy) : file;
  if (typeof policy === "string") noteRead(where);
  const value = typeof policy === "string" ? await readJsonFile(where, `${file}: policy`) : policy;
  try {
    return checkPolicy(value);
  } catch (error) {
    throw new ToolrigError("CONFIG_INVALID", `${where}: ${messageOf(error)}`, { cause: error });
  }
}

/** Checked by the worker, which names the option. */
async function callersOf(
  callers: NonNullable<Config["callers"]>,
  file: string,
  near: (path: string) => string,
): Promise<NonNullable<LoadedConfig["callers"]>> {
  if (typeof callers !== "string") return callers;
  const where = near(callers);
  noteRead(where);
  const value = await readJsonFile(where, `${file}: callers`);
  if (isRecord(value)) return value as NonNullable<LoadedConfig["callers"]>;
  throw new ToolrigError("CONFIG_INVALID", `${where} must hold an object: rights by the name of a caller.`);
}

function isMixed(tools: NonNullable<Config["tools"]>): tools is Extract<Config["tools"], readonly unknown[]> {
  return Array.isArray(tools);
}

async function exported(file: string): Promise<unknown> {
  if (!existsSync(file)) {
    throw new ToolrigError("CONFIG_INVALID", `There is no config file ${file}. Check the path.`);
  }
  noteRead(file);
  if (file.endsWith(".json")) return configJson(await readFile(file, "utf8"), file);
  const module = await importModule(file);
  if ("default" in module) return module.default;
  const others = Object.keys(module).join(", ") || "nothing";
  throw new ToolrigError(
    "CONFIG_INVALID",
    `${file} must export its settings as default: export default defineConfig({ ... }). It exports ${others}.`,
  );
}

function configJson(text: string, file: string): unknown {
  const parsed = parseStrict(text, { subject: file });
  if (!parsed.ok) throw new ToolrigError("CONFIG_INVALID", parsed.message);
  return parsed.value;
}
