import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { installFolder } from "./install-folder.ts";

const INTEROP = join(import.meta.dirname, "../packages/interop");
/** Peers that the adapters themselves import: found from the package, as in a program that has them installed beside it. */
const IMPORTED = ["@langchain"];

/** Installs the frameworks that Toolrig runs beneath, on first use and whenever their lock changed. Throws when that fails. */
export function installPeers(print: (line: string) => void): void {
  const what = "the agent frameworks that Toolrig runs beneath (about 380 MB, once)";
  installFolder(join(INTEROP, "peers"), what, print);
  for (const scope of IMPORTED) linkFor(scope);
}

function linkFor(scope: string): void {
  const link = join(INTEROP, "node_modules", scope);
  if (existsSync(link)) return;
  mkdirSync(join(INTEROP, "node_modules"), { recursive: true });
  symlinkSync(join("../peers/node_modules", scope), link);
}
