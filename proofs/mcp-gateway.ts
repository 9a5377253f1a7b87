/** What becomes of every field of the protocol between a server and a client with Toolrig between them, beside the server alone. */
import { isDeepStrictEqual } from "node:util";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { BEHAVIOURS } from "./mcp-gateway/behaviours.ts";
import { compare } from "./mcp-gateway/compare.ts";
import { FATES, type Fate, type Kind } from "./mcp-gateway/fates.ts";
import { openGateway } from "./mcp-gateway/gateway.ts";
import { ALONE, clientTo, look, type Revision, type Seen, THROUGH } from "./mcp-gateway/look.ts";
import { questions } from "./mcp-gateway/questions.ts";
import { slowClients } from "./mcp-gateway/slow-clients.ts";
import { thirdParties } from "./mcp-gateway/third-parties.ts";
import type { Proof, Verdict } from "./proof.ts";

const RICH = new URL("./mcp-gateway/rich-server.ts", import.meta.url).pathname;
const REVISIONS: readonly Revision[] = ["2025-11-25", "2026-07-28"];
const PROGRAM = { command: process.execPath, args: [RICH] };

/** Rows beside the table of fields. */
const MORE: readonly Proof["run"][] = [questions, slowClients];

type Print = (line: string) => void;

export const proof: Proof = {
  name: "mcp-gateway",
  claim: "every field of MCP is carried, changed or refused between a server and a client, as one table says",
  async run(mode, print): Promise<Verdict> {
    const tally = { passed: 0, failed: 0 };
    const count = (name: string, missed: string | undefined) => {
      tally[missed === undefined ? "passed" : "failed"] += 1;
      print(`${missed === undefined ? "held" : "MISS"}  ${name}${missed ?? ""}`);
    };
    const sent = new Set<string>();
    for (const revision of REVISIONS) {
      const alone = await seenAlone(revision);
      for (const [kind, fields] of Object.entries(alone))
        for (const [field, value] of Object.entries(fields))
          if (value !== undefined) sent.add(`${kind}.${field}`);
      await compareRows(revision, alone, count);
    }
    for (const name of namesOfFields())
      if (!sent.has(name)) count(`${name} was sent in neither revision`, "");
    for (const more of MORE) {
      const { passed, failed } = await more(mode, print);
      tally.passed += passed;
      tally.failed += failed;
    }
    const skipped = await compareThirdParties(mode === "full", print, count);
    return { ...tally, ...(skipped !== undefined && { skipped }) };
  },
};

async function seenAlone(revision: Revision): Promise<Seen> {
  const client = await clientTo(new StdioClientTransport(PROGRAM), revision);
  try {
    return await look(client, ALONE);
  } finally {
    await client.close();
  }
}

/** Every row of the table, and every behaviour, in one revision. */
async function compareRows(
  revision: Revision,
  alone: Seen,
  count: (name: string, missed: string | undefined) => void,
): Promise<void> {
  const own = { ...PROGRAM, trust: "annotations", give: ["sampling", "roots"] } as const;
  const { client, mcp, close } = await openGateway({ it: PROGRAM, own }, revision, true);
  try {
    const through = await look(client, THROUGH);
    for (const [kind, fates] of Object.entries(FATES) as [Kind, Readonly<Record<string, Fate>>][])
      for (const [field, fate] of Object.entries(fates)) {
        const missed = missOf(fate, alone[kind][field], through[kind][field]);
        count(
          `${revision}  ${kind}.${field}  ${fate[0]}${fate[1] === undefined ? "" : `: ${fate[1]}`}`,
          missed,
        );
      }
    for (const { name, fate, why, holds } of BEHAVIOURS) {
      const came = await holds({ client, mcp, revision }).catch((error: Error) => error.message);
      count(`${revision}  ${name}  ${fate}: ${why}`, came === true ? undefined : ` (came to ${came})`);
    }
  } finally {
    await close();
  }
}

/** Undefined when it is as the table says. A field that the revision does not have is neither. */
function missOf([fate]: Fate, sent: unknown, got: unknown): string | undefined {
  const told = ` (sent ${JSON.stringify(sent)}, got ${JSON.stringify(got)})`;
  if (fate === "carried") return isDeepStrictEqual(sent, got) ? undefined : told;
  if (fate === "changed")
    return sent === undefined || (got !== undefined && !isDeepStrictEqual(sent, got)) ? undefined : told;
  return got === undefined ? undefined : told;
}

function namesOfFields(): string[] {
  return Object.entries(FATES).flatMap(([kind, fates]) =>
    Object.keys(fates).map((field) => `${kind}.${field}`),
  );
}

/** Answers why some could not run. */
async function compareThirdParties(
  isFull: boolean,
  print: Print,
  count: (name: string, missed: string | undefined) => void,
): Promise<string | undefined> {
  const missing: string[] = [];
  for await (const party of thirdParties(isFull, print)) {
    if (typeof party === "string") {
      missing.push(party);
      continue;
    }
    const { misses, compared } = await compare(party);
    for (const missed of misses) count(`${party.name}: `, missed);
    if (misses.length === 0) count(`${party.name}: ${compared}`, undefined);
  }
  return missing.length === 0 ? undefined : missing.join("; ");
}
