/** What becomes of every field of the protocol between a server and a client with Toolrig between them, beside the server alone. */
import { isDeepStrictEqual } from "node:util";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Executor, Registry } from "@toolrig/core";
import { connectMcp, mcpServer } from "@toolrig/mcp";
import { BEHAVIOURS } from "./mcp-gateway/behaviours.ts";
import { FATES, type Fate, type Kind } from "./mcp-gateway/fates.ts";
import { clientTo, look, type Revision, type Seen } from "./mcp-gateway/look.ts";
import type { Proof } from "./proof.ts";

const RICH = new URL("./mcp-gateway/rich-server.ts", import.meta.url).pathname;
const REVISIONS: readonly Revision[] = ["2025-11-25", "2026-07-28"];
const PROGRAM = { command: process.execPath, args: [RICH] };

export const proof: Proof = {
  name: "mcp-gateway",
  claim: "every field of MCP is carried, changed or refused between a server and a client, as one table says",
  async run(_, print) {
    const tally = { passed: 0, failed: 0 };
    const sent = new Set<string>();
    for (const revision of REVISIONS) {
      const alone = await seenAlone(revision);
      const { seen: through, missed: misses } = await seenThrough(revision);
      for (const { name, fate, why } of BEHAVIOURS) {
        const isMissed = misses.has(name);
        tally[isMissed ? "failed" : "passed"] += 1;
        print(`${isMissed ? "MISS" : "held"}  ${revision}  ${name}  ${fate}: ${why}`);
      }
      for (const [kind, fates] of Object.entries(FATES) as [Kind, Readonly<Record<string, Fate>>][])
        for (const [field, fate] of Object.entries(fates)) {
          if (alone[kind][field] !== undefined) sent.add(`${kind}.${field}`);
          const missed = missOf(fate, alone[kind][field], through[kind][field]);
          if (missed === undefined) tally.passed += 1;
          else tally.failed += 1;
          const why = fate[1] === undefined ? "" : `: ${fate[1]}`;
          print(
            `${missed === undefined ? "held" : "MISS"}  ${revision}  ${kind}.${field}  ${fate[0]}${why}${missed ?? ""}`,
          );
        }
    }
    for (const name of namesOfFields()) {
      if (sent.has(name)) continue;
      tally.failed += 1;
      print(`MISS  ${name} was sent in neither revision`);
    }
    return tally;
  },
};

function namesOfFields(): string[] {
  return Object.entries(FATES).flatMap(([kind, fates]) =>
    Object.keys(fates).map((field) => `${kind}.${field}`),
  );
}

/** Undefined when it is as the table says. A field that the revision does not have is neither. */
function missOf([fate]: Fate, sent: unknown, got: unknown): string | undefined {
  const told = ` (sent ${JSON.stringify(sent)}, got ${JSON.stringify(got)})`;
  if (fate === "carried") return isDeepStrictEqual(sent, got) ? undefined : told;
  if (fate === "changed")
    return sent === undefined || (got !== undefined && !isDeepStrictEqual(sent, got)) ? undefined : told;
  return got === undefined ? undefined : told;
}

async function seenAlone(revision: Revision): Promise<Seen> {
  const client = await clientTo(new StdioClientTransport(PROGRAM), revision);
  try {
    return await look(
      client,
      (own) => own,
      (own) => own,
    );
  } finally {
    await client.close();
  }
}

interface Through {
  seen: Seen;
  /** Names of behaviours that did not come to what the table says. */
  missed: ReadonlySet<string>;
}

async function seenThrough(revision: Revision): Promise<Through> {
  const registry = new Registry();
  const era = revision === "2025-11-25" ? "2025" : "2026";
  const mcp = connectMcp(
    { registry },
    { servers: { it: { ...PROGRAM, era }, own: { ...PROGRAM, era, trust: "annotations" } } },
  );
  const served = mcpServer({ executor: new Executor({ tools: registry }) });
  const fetch = (at: URL | string, init?: RequestInit) => served.fetch(new Request(at, init));
  try {
    await mcp.ready;
    const client = await clientTo(
      new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), { fetch }),
      revision,
    );
    const seen = await look(
      client,
      (own) => `it__${own}`,
      (own) => `own__${own}`,
    );
    const missed = new Set<string>();
    for (const { name, holds } of BEHAVIOURS) if (!(await holds(client))) missed.add(name);
    await client.close();
    return { seen, missed };
  } finally {
    await served.close();
    await mcp.close();
  }
}
