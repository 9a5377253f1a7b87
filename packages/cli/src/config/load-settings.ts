import { resolve } from "node:path";
import { ToolrigError } from "@toolrig/core";
import type { OptionTable } from "../shell/command.ts";
import { note } from "../terminal/output.ts";
import { redactWith } from "../terminal/redaction.ts";
import { type LoadedConfig, loadConfig } from "./load-config.ts";
import { findOwnConfig } from "./own-config.ts";

/** The option of every command that works with configured tools. */
export const CONFIG_OPTION = {
  config: {
    type: "string",
    short: "c",
    value: "FILE",
    describe: "the config file (default: toolrig.config.ts, .mts, .js, .mjs or .json, here or above)",
  },
} as const satisfies OptionTable;

/** What a config says, and where it is. */
export interface Loaded extends LoadedConfig {
  readonly file?: string;
}

/** What the config says. Without one there is nothing, and where it is `needed` standard error says how to start. */
export async function loadSettings(
  configFile: string | undefined,
  { needed = true }: { needed?: boolean } = {},
): Promise<Loaded> {
  const loaded = await loadFound(configFile);
  if (loaded === undefined && needed)
    note(`No toolrig.config.ts here or in a folder above. ${HOW_TO_START}`, "dim");
  return loaded ?? { rig: {} };
}

/**
 * As `loadSettings`, for commands that use tools for whoever typed them: without a config there are those of the toolkit
 * that only read, in this folder. A worker, which works for others, has none.
 */
export async function loadForUser(configFile: string | undefined, hint = READING_HERE): Promise<Loaded> {
  const loaded = await loadFound(configFile);
  if (loaded !== undefined) return loaded;
  note(hint, "dim");
  const { toolkit } = await import("@toolrig/toolkit");
  return { rig: { tools: toolkit({ root: ".", readOnly: true, http: false }) } };
}

async function loadFound(configFile: string | undefined): Promise<Loaded | undefined> {
  const file = configFile === undefined ? findOwnConfig(process.cwd()) : resolve(configFile);
  return file === undefined ? undefined : withRules({ ...(await loadConfig(file)), file });
}

/** What the config calls a secret is one wherever something is shown. Its rig gets the same rules. */
function withRules(loaded: Loaded): Loaded {
  const { redact } = loaded.rig;
  return redact === undefined
    ? loaded
    : namingFile(loaded, () => ({ ...loaded, rig: { ...loaded.rig, redact: redactWith(redact) } }));
}

/** Throws what `make` throws as a `ToolrigError` that names the config. */
export function namingFile<Made>({ file }: Loaded, make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    if (!ToolrigError.isInstance(error) || file === undefined) throw error;
    throw new ToolrigError(error.code, `${file}: ${error.message}`, { cause: error });
  }
}

/** Said where there is no config. */
export const READING_HERE =
  "No toolrig.config.ts here or in a folder above: the tools are those that read files in this folder.";

export const HOW_TO_START = "toolrig init writes one, with a sample tool.";
