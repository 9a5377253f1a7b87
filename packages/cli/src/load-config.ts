import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { messageOf, ToolrigError } from "@toolrig/core";
import { type Config, checkConfig } from "./config.ts";
import { importModule } from "./import-module.ts";
import { loadTools } from "./load-tools.ts";
import type { RigOptions } from "./rig.ts";

/** In the order in which they are looked for; the first in the nearest folder is used. */
const NAMES = ["toolrig.config.ts", "toolrig.config.js", "toolrig.config.mjs", "toolrig.config.json"];

/** The config file that applies in a folder: its own or that of the nearest folder above. */
export function findConfig(folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const found = NAMES.map((name) => join(at, name)).find((file) => existsSync(file));
    if (found !== undefined || dirname(at) === at) return found;
  }
}

/** The options in a config file, with the modules it names loaded. Throws `CONFIG_INVALID` for anything wrong in it. */
export async function loadConfig(file: string): Promise<RigOptions> {
  const { tools, ...rest } = checkConfig(await exported(file), file);
  if (tools === undefined) return rest;
  return { ...rest, tools: isMixed(tools) ? await loadTools(tools, file) : tools };
}

function isMixed(tools: NonNullable<Config["tools"]>): tools is Extract<Config["tools"], readonly unknown[]> {
  return Array.isArray(tools);
}

async function exported(file: string): Promise<unknown> {
  if (!existsSync(file)) {
    throw new ToolrigError(
      "CONFIG_INVALID",
      `There is no config file ${file}. Check the path after --config.`,
    );
  }
  if (file.endsWith(".json")) return parseJson(await readFile(file, "utf8"), file);
  const module = await importModule(file);
  if ("default" in module) return module.default;
  const others = Object.keys(module).join(", ") || "nothing";
  throw new ToolrigError(
    "CONFIG_INVALID",
    `${file} must export its settings as default: export default defineConfig({ ... }). It exports ${others}.`,
  );
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ToolrigError("CONFIG_INVALID", `${file} is not valid JSON: ${messageOf(error)}.`);
  }
}
