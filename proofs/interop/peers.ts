import { join } from "node:path";
import { installPeers } from "../../scripts/interop-peers.ts";
import type { FieldTable } from "./field-row.ts";
import { aiSdkPeers } from "./loops/ai-sdk.ts";
import { byHandPeers } from "./loops/by-hand.ts";
import type { Peer } from "./peer.ts";

const FOLDER = join(import.meta.dirname, "../../packages/interop/peers");
/** Files of the peers' own folder, where their packages are found. */
const INSTALLED = ["openai-agents", "langchain", "langgraph", "mastra", "pi"];

/** The peers that are at hand; and why others are not. */
export async function peers(
  print: (line: string) => void,
): Promise<{ found: Peer[]; missing: string | undefined }> {
  const own = [...aiSdkPeers, ...byHandPeers];
  try {
    return { found: [...own, ...(await installedPeers(print))], missing: undefined };
  } catch (error) {
    return { found: own, missing: error instanceof Error ? error.message : String(error) };
  }
}

/** Those with a folder of their own, which are installed if need be. */
export async function installedPeers(print: (line: string) => void): Promise<Peer[]> {
  installPeers(print);
  return Promise.all(INSTALLED.map(load));
}

/** By a path that the compiler does not follow: what the file imports is not there before it is installed. */
async function load(name: string): Promise<Peer> {
  const module: { peer: Peer } = await import(join(FOLDER, `${name}.ts`));
  return module.peer;
}

/** The runs that show what becomes of each field of the peers' tools. */
export async function fieldTables(): Promise<FieldTable<unknown>[]> {
  const names = ["ai-sdk", "openai-agents", "langchain", "mastra", "pi"];
  const modules = names.map((name) => import(join(FOLDER, "fields", `${name}.ts`)));
  return (await Promise.all(modules)).map(({ table }) => table);
}
