import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { installFolder } from "./install-folder.ts";

const INTEROP = join(import.meta.dirname, "../packages/interop");
/** Peers that the adapters themselves import: found from the package, as in a program that has them installed beside it. */
const IMPORTED = ["@langchain/core", "@langchain/langgraph", "@openai/agents"];

/** Installs the frameworks that Toolrig runs beneath, on first use and whenever their lock changed. Throws when that fails. */
export function installPeers(print: (line: string) => void): void {
  const what = "the agent frameworks that Toolrig runs beneath (about 380 MB, once)";
  installFolder(join(INTEROP, "peers"), what, print);
  for (const name of IMPORTED) linkTo(name);
}

/** One link a package: a scope that is a link is looked into by npm, which removes what it does not know there. */
function linkTo(name: string): void {
  const link = join(INTEROP, "node_modules", name);
  if (existsSync(link)) return;
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(relative(dirname(link), join(INTEROP, "peers/node_modules", name)), link);
}
