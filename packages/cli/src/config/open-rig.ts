import { existsSync } from "node:fs";
import type { ToolSource } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import { connectMcp } from "@toolrig/mcp/client";
import type { RunCodeOptions } from "@toolrig/sandbox";
import { openStore, type Store } from "@toolrig/store";
import { type AssembledParts, assemble, isStore, type RigOptions } from "../rig/assemble.ts";
import { type Rig, rig } from "../rig/rig.ts";
import { HOW_TO_START, type Loaded, loadForUser, namingFile, READING_HERE } from "./load-settings.ts";
import { catalogCopy, mcpOf, settled } from "./mcp-settings.ts";

/** The rig of a config, with `overrides` on top. Throws `ToolrigError`, naming the file. */
export function rigOf(loaded: Loaded, overrides: RigOptions = {}): Rig {
  const mcp = mcpOf(loaded.rig);
  return namingFile(loaded, () => rig({ ...loaded.rig, ...defined({ mcp }), ...overrides }));
}

/** What the rig of a config is made of, for those who run its calls in another way. */
export function partsOf(loaded: Loaded): AssembledParts {
  return namingFile(loaded, () => assemble(loaded.rig));
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
