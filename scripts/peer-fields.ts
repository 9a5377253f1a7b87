/** Writes what becomes of each field of the peers' tools. `node scripts/peer-fields.ts` writes it into docs/beneath/fields.md. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { aiSdkContextFields, aiSdkFields } from "../packages/core/src/tool/ai-sdk-fields.ts";
import type { PeerFields } from "../packages/core/src/tool/peer-fields.ts";
import { langChainContextFields, langChainFields } from "../packages/interop/src/langchain/fields.ts";
import { mastraContextFields, mastraFields } from "../packages/interop/src/mastra/fields.ts";
import { agentsContextFields, agentsFields } from "../packages/interop/src/openai-agents/fields.ts";
import { piContextFields, piFields, piResultFields } from "../packages/interop/src/pi/fields.ts";

export const PAGE = join(import.meta.dirname, "../docs/beneath/fields.md");
const BEGIN = "<!-- fields: written by scripts/peer-fields.ts -->";

const PEERS: Readonly<Record<string, Readonly<Record<string, PeerFields>>>> = {
  "AI SDK": { "A tool": aiSdkFields, "What `execute` is given": aiSdkContextFields },
  "OpenAI Agents": {
    "A function tool": agentsFields,
    "The run context, and the details of a call": agentsContextFields,
  },
  "LangChain, LangGraph": {
    "A structured tool": langChainFields,
    "The `ToolRuntime`": langChainContextFields,
  },
  Mastra: { "A tool": mastraFields, "What `execute` is given": mastraContextFields },
  pi: {
    "An `AgentTool`": piFields,
    "What `execute` is given": piContextFields,
    "What it answers": piResultFields,
  },
};

/** The tables as the page has them. */
export function tables(): string {
  return Object.entries(PEERS)
    .map(([peer, all]) => [`## ${peer}`, ...Object.entries(all).map(tableOf)].join("\n\n"))
    .join("\n\n");
}

function tableOf([what, fields]: [string, PeerFields]): string {
  const rows = Object.entries(fields).map(([field, [fate, said]]) => `| \`${field}\` | ${fate} | ${said} |`);
  return [`**${what}**`, "", "| field | fate | |", "|---|---|---|", ...rows].join("\n");
}

/** The tables in a page. */
export function tablesIn(page: string): string {
  return page.slice(page.indexOf(BEGIN) + BEGIN.length).trim();
}

if (process.argv[1] === import.meta.filename) {
  const page = readFileSync(PAGE, "utf8");
  writeFileSync(PAGE, `${page.slice(0, page.indexOf(BEGIN) + BEGIN.length)}\n\n${tables()}\n`);
}
