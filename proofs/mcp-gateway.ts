/** What becomes of every field of the protocol between a server and a client with Toolrig between them, beside the server alone. */
import { isDeepStrictEqual } from "node:util";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Executor, Registry } from "@toolrig/core";
import { type ConnectionOptions, connectMcp, mcpServer } from "@toolrig/mcp";
import { BEHAVIOURS } from "./mcp-gateway/behaviours.ts";
import { FATES, type Fate, type Kind } from "./mcp-gateway/fates.ts";
import { clientTo, look, type Revision, type Seen } from "./mcp-gateway/look.ts";
import { slowClients } from "./mcp-gateway/slow-clients.ts";
import { THIRD_PARTIES, type ThirdParty } from "./mcp-gateway/third-parties.ts";
import type { Proof } from "./proof.ts";

const RICH = new URL("./mcp-gateway/rich-server.ts", import.meta.url).pathname;
const REVISIONS: readonly Revision[] = ["2025-11-25", "2026-07-28"];
const PROGRAM = { command: process.execPath, args: [RICH] };

/** Rows beside the table of fields. */
const MORE: readonly Proof["run"][] = [slowClients];

export const proof: Proof = {
  name: "mcp-gateway",
  claim: "every field of MCP is carried, changed or refused between a server and a client, as one table says",
  async run(mode, print) {
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
    for (const party of THIRD_PARTIES) {
      const misses = await missesOf(party);
      tally.passed += party.calls.length + 1 - misses.length;
      tally.failed += misses.length;
      for (const missed of misses) print(`MISS  ${party.name}: ${missed}`);
      if (misses.length === 0)
        print(`held  ${party.name}: its tools are listed, and ${party.calls.length} calls came to the same`);
    }
    for (const more of MORE) {
      const { passed, failed } = await more(mode, print);
      tally.passed += passed;
      tally.failed += failed;
    }
    for (const name of namesOfFields()) {
      if (sent.has(name)) continue;
      tally.failed += 1;
      print(`MISS  ${name} was sent in neither revision`);
    }
    return tally;
  },
};

/** Differences between a third-party server alone and through the gateway: tools that are not listed, and content of calls. */
async function missesOf({ name, program, calls }: ThirdParty): Promise<string[]> {
  const alone = await clientTo(new StdioClientTransport({ ...program, stderr: "ignore" }), "2025-11-25");
  const gateway = await openGateway({ [name]: program }, "2025-11-25");
  const misses: string[] = [];
  try {
    // A server may have more tools for a client that can do more.
    const own = (await alone.listTools()).tools.map((tool) => `${name}__${tool.name}`);
    const through = new Set((await gateway.client.listTools()).tools.map((tool) => tool.name));
    const lost = own.filter((each) => !through.has(each));
    if (lost.length > 0) misses.push(`the tools ${lost} are not listed`);
    for (const { tool, args } of calls) {
      const sent = await alone.callTool({ name: tool, arguments: args });
      const got = await gateway.client.callTool({ name: `${name}__${tool}`, arguments: args });
      const isSame =
        isDeepStrictEqual(sent.content, got.content) &&
        isDeepStrictEqual(sent.structuredContent, got.structuredContent);
      if (!isSame)
        misses.push(`${tool} came to ${JSON.stringify(got)}, not ${JSON.stringify(sent)}`.slice(0, 500));
    }
  } finally {
    await alone.close();
    await gateway.close();
  }
  return misses;
}

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
  const { client, close } = await openGateway(
    { it: PROGRAM, own: { ...PROGRAM, trust: "annotations" } },
    revision,
  );
  try {
    const seen = await look(
      client,
      (own) => `it__${own}`,
      (own) => `own__${own}`,
    );
    const missed = new Set<string>();
    for (const { name, holds } of BEHAVIOURS) if (!(await holds(client))) missed.add(name);
    return { seen, missed };
  } finally {
    await close();
  }
}

/** A client of a rig that is connected to servers, all of one revision. */
async function openGateway(servers: Record<string, ConnectionOptions>, revision: Revision) {
  const registry = new Registry();
  const era = revision === "2025-11-25" ? "2025" : "2026";
  const ofEra = Object.entries(servers).map(([name, server]) => [name, { ...server, era }]);
  const mcp = connectMcp({ registry }, { servers: Object.fromEntries(ofEra) });
  const served = mcpServer({ executor: new Executor({ tools: registry }) });
  const fetch = (at: URL | string, init?: RequestInit) => served.fetch(new Request(at, init));
  await mcp.ready;
  const transport = new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), { fetch });
  const client = await clientTo(transport, revision);
  const close = async () => {
    await client.close();
    await served.close();
    await mcp.close();
  };
  return { client, close };
}
