import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Executor, Registry } from "@toolrig/core";
import { type ConnectionOptions, connectMcp, mcpServer } from "@toolrig/mcp";
import { clientTo, type Revision } from "./look.ts";

/** A client of a rig that is connected to servers, all of one revision. */
export async function openGateway(
  servers: Record<string, ConnectionOptions>,
  revision: Revision,
  gives = false,
) {
  const registry = new Registry();
  const era = revision === "2025-11-25" ? "2025" : "2026";
  const ofEra = Object.entries(servers).map(([name, server]) => [name, { ...server, era }]);
  const mcp = connectMcp({ registry }, { servers: Object.fromEntries(ofEra) });
  const served = mcpServer(
    { executor: new Executor({ tools: registry }), mcp },
    { instructions: "Be brief." },
  );
  const fetch = (at: URL | string, init?: RequestInit) => served.fetch(new Request(at, init));
  await mcp.ready;
  const transport = new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), { fetch });
  const client = await clientTo(transport, revision, gives);
  const close = async () => {
    await client.close();
    await served.close();
    await mcp.close();
  };
  return { client, mcp, close };
}
