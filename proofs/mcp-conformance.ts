/** The conformance suite of MCP, in both revisions, without a list of expected failures. */
import { clientHalf } from "./mcp-conformance/client.ts";
import { serverHalf } from "./mcp-conformance/server.ts";
import type { Proof } from "./proof.ts";

export const proof: Proof = {
  name: "mcp-conformance",
  claim:
    "served and as a client, a rig meets every requirement that the MCP conformance suite has for 2026-07-28 and 2025-11-25",
  async run(mode, print) {
    const serving = serverHalf(print);
    // The whole suite starts every scenario of a client at once.
    if (mode === "full") await serving;
    const [server, client] = await Promise.all([serving, clientHalf(mode, print)]);
    return { passed: server.passed + client.passed, failed: server.failed + client.failed };
  },
};
