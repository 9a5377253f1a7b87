/** An MCP server over stdio, of both revisions, whose tools ask the person at the client what their arguments say. */
import { inputRequired, Server, type Tool } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const ASK: Tool["inputSchema"] = {
  type: "object",
  properties: { question: { type: "object" } },
  required: ["question"],
};
const TOOLS: Tool[] = [
  { name: "ask", description: "Ask", inputSchema: ASK },
  {
    name: "look",
    description: "Ask, and change nothing",
    inputSchema: ASK,
    annotations: { readOnlyHint: true },
  },
];

serveStdio(() => {
  const server = new Server({ name: "asking", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: TOOLS }));
  server.setRequestHandler("tools/call", ({ params }, { mcpReq }) => {
    const answer = mcpReq.inputResponses?.told;
    if (answer !== undefined) return { content: [{ type: "text", text: JSON.stringify(answer) }] };
    const request = { method: "elicitation/create", params: params.arguments?.question } as never;
    return inputRequired({ inputRequests: { told: request } });
  });
  return server;
});
