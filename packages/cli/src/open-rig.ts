import { resolve } from "node:path";
import { ToolrigError } from "@toolrig/core";
import type { OptionTable } from "./command.ts";
import { findConfig, loadConfig } from "./load-config.ts";
import { note } from "./output.ts";
import { type Rig, type RigOptions, rig } from "./rig.ts";

/** The option of every command that works with configured tools. */
export const CONFIG_OPTION = {
  config: {
    type: "string",
    short: "c",
    value: "FILE",
    describe: "the config file (default: toolrig.config.ts, .js, .mjs or .json, here or above)",
  },
} as const satisfies OptionTable;

/**
 * The rig that the config describes, with `overrides` on top. Without a config it has the process-wide tools only, and
 * standard error says how to start.
 */
export async function openRig(configFile: string | undefined, overrides: RigOptions = {}): Promise<Rig> {
  const file = configFile === undefined ? findConfig(process.cwd()) : resolve(configFile);
  if (file === undefined) {
    note(HOW_TO_START, "dim");
    return rig(overrides);
  }
  const options = await loadConfig(file);
  try {
    return rig({ ...options, ...overrides });
  } catch (error) {
    if (!ToolrigError.isInstance(error)) throw error;
    throw new ToolrigError(error.code, `${file}: ${error.message}`, { cause: error });
  }
}

const HOW_TO_START = `No toolrig.config.ts here or in a folder above. To start, write one:

  import { defineConfig, tool } from "toolrig";

  const greet = tool({
    name: "greet",
    description: "Greet somebody",
    input: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    safety: { sideEffects: "none", idempotent: true },
    execute: ({ name }) => \`Hello, \${name}!\`,
  });

  export default defineConfig({ tools: [greet] });
`;
