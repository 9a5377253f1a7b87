/** An MCP server over stdio, of both revisions, whose tools ask the person at the client what their arguments say. */
import { inputRequired, Server, type Tool } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const ASK: Tool["inputSchema"] = {
  type: "object",
  properties: { question: { type: "object" } },
  required: ["question"],
};
/** As schemas are that are made from code: what has a default is required, too. */
const DEFAULTS: Tool["inputSchema"] = {
  type: "object",
  properties: { scale: { type: "string", default: "css" }, of: { type: "string" } },
  required: ["scale", "of"],
};
const TOOLS: Tool[] = [
  { name: "shoot", description: "Fill in a default", inputSchema: DEFAULTS },
  { name: "ask", description: "Ask", inputSchema: ASK },
  { name: "model", description: "Ask the client's model", inputSchema: ASK },
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
    if (params.name === "shoot")
      return { content: [{ type: "text", text: JSON.stringify({ scale: "css", ...params.arguments }) }] };
    const answer = mcpReq.inputResponses?.told;
    if (answer !== undefined) return { content: [{ type: "text", text: JSON.stringify(answer) }] };
    const method = params.name === "model" ? "sampling/createMessage" : "elicitation/create";
    const request = { method, params: params.arguments?.question } as never;
    return inputRequired({ inputRequests: { told: request } });
  });
  return server;
});
