import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { ToolrigError, type ToolSource } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import { connectMcp } from "@toolrig/mcp";
import type { RunCodeOptions } from "@toolrig/sandbox";
import { openStore, type Store } from "@toolrig/store";
import { toolkit } from "@toolrig/toolkit";
import { type AssembledParts, assemble, isStore, type RigOptions } from "../rig/assemble.ts";
import { type Rig, rig } from "../rig/rig.ts";
import type { OptionTable } from "../shell/command.ts";
import { note } from "../terminal/output.ts";
import { redactWith } from "../terminal/redaction.ts";
import { type LoadedConfig, loadConfig } from "./load-config.ts";
import { catalogCopy, mcpOf, settled } from "./mcp-settings.ts";
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

/** The rig of a config, with `overrides` on top. Throws `ToolrigError`, naming the file. */
export function rigOf(loaded: Loaded, overrides: RigOptions = {}): Rig {
  const mcp = mcpOf(loaded.rig);
  return namingFile(loaded, () => rig({ ...loaded.rig, ...defined({ mcp }), ...overrides }));
}

/** What the rig of a config is made of, for those who run its calls in another way. */
export function partsOf(loaded: Loaded): AssembledParts {
  return namingFile(loaded, () => assemble(loaded.rig));
}

function namingFile<Made>({ file }: Loaded, make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    if (!ToolrigError.isInstance(error) || file === undefined) throw error;
    throw new ToolrigError(error.code, `${file}: ${error.message}`, { cause: error });
  }
}

/** The rig that the config describes, for calling tools: those of its MCP servers are there. */
export async function openRig(
  configFile: string | undefined,
  overrides: RigOptions = {},
  usual: RigOptions = {},
): Promise<Rig> {
  const loaded = await loadForUser(configFile);
  const opened = rigOf({ ...loaded, rig: { ...usual, ...loaded.rig } }, overrides);
  await settled(opened.mcp);
  return opened;
}

/**
 * As `openRig`, with the tool that runs scripts also where models are not given it, and its name. It is as the config says,
 * with `options` on top.
 */
export async function openScriptRig(
  configFile: string | undefined,
  options: RunCodeOptions,
): Promise<{ rig: Rig; script: string }> {
  const loaded = await loadForUser(configFile);
  const { code: given = false } = loaded.rig;
  const code = { name: "run_code", ...(typeof given === "object" && given), ...options };
  const opened = rigOf(loaded, { code });
  await settled(opened.mcp);
  return { rig: opened, script: code.name };
}

/**
 * Hands out the tools that the config describes, as a model would be told of them. Nothing is written or reconciled, and
 * no store is made: one that is there is only read, and closed again. MCP servers are connected meanwhile, unless `offline`.
 */
export async function withTools<Result>(
  configFile: string | undefined,
  use: (tools: ToolSource) => Result | Promise<Result>,
  { offline = false }: { offline?: boolean } = {},
): Promise<Result> {
  const settings = await loadForUser(configFile, `${READING_HERE} ${HOW_TO_START}`);
  const store = storeToRead(settings.rig.store);
  try {
    const descriptions = settings.rig.descriptions ?? store?.descriptions;
    const { dynamicTools: making = false } = settings.rig;
    const { registry, tools, dynamic } = rigOf(withoutStore(settings), {
      ...defined({ descriptions }),
      ...(making !== false &&
        store !== undefined && {
          dynamicTools: { catalog: store.catalog, ...(making === true ? {} : making) },
        }),
    });
    await dynamic?.ready;
    const mcp = offline ? undefined : mcpOf(settings.rig);
    if (mcp === undefined) return await use(tools);
    const connections = connectMcp({ registry, store: { catalog: catalogCopy(store) } }, mcp);
    try {
      await settled(connections);
      return await use(tools);
    } finally {
      await connections.close();
    }
  } finally {
    store?.close();
  }
}

function storeToRead(place: RigOptions["store"]): Store | undefined {
  if (isStore(place)) return place;
  return typeof place === "string" && existsSync(place) ? openStore(place, { readOnly: true }) : undefined;
}

export function withoutStore(settings: Loaded): Loaded {
  const { store: _, mcp: __, ...options } = settings.rig;
  return { ...settings, rig: options };
}

const READING_HERE =
  "No toolrig.config.ts here or in a folder above: the tools are those that read files in this folder.";

const HOW_TO_START = "toolrig init writes one, with a sample tool.";
