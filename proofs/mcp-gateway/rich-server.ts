/** An MCP server over stdio, of both revisions, that uses every field of the protocol that a server can. */
import {
  type CallToolResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  type Resource,
  type ResourceTemplateType,
  Server,
  type Tool,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const ICONS = [{ src: "https://example.com/icon.png", mimeType: "image/png", sizes: ["48x48"] }];
const META = { "example.com/kept": "yes" };
const HINTS = { audience: ["user" as const], priority: 0.5, lastModified: "2026-01-31T00:00:00Z" };
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const shown = { title: "A title", icons: ICONS, _meta: META };

const TOOLS: Tool[] = [
  {
    name: "rich",
    ...shown,
    description: "Gives one of everything",
    inputSchema: { type: "object", properties: { region: { type: "string" } } },
    outputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    annotations: {
      title: "A title",
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    execution: { taskSupport: "forbidden" },
  },
  ...["fail", "refuse", "progress", "log", "change", "sample", "roots"].map(
    (name): Tool => ({ name, description: name, inputSchema: { type: "object" } }),
  ),
];

const RESOURCE: Resource = {
  uri: "rich://doc",
  name: "doc",
  ...shown,
  description: "A document",
  mimeType: "text/plain",
  annotations: HINTS,
  size: 5,
};
const TEMPLATE: ResourceTemplateType = {
  uriTemplate: "rich://page/{n}",
  name: "page",
  ...shown,
  description: "A page",
  mimeType: "text/plain",
  annotations: HINTS,
};
const PROMPT: Prompt = {
  name: "greet",
  ...shown,
  description: "Greets",
  arguments: [{ name: "who", description: "Whom to greet", required: true }],
};

const RICH: CallToolResult = {
  content: [
    { type: "text", text: "text", annotations: HINTS, _meta: META },
    { type: "image", data: PIXEL, mimeType: "image/png", annotations: HINTS, _meta: META },
    { type: "audio", data: "UklGRg==", mimeType: "audio/wav", annotations: HINTS, _meta: META },
    { type: "resource_link", ...RESOURCE },
    {
      type: "resource",
      resource: { uri: "rich://text", mimeType: "text/plain", text: "words", _meta: META },
      annotations: HINTS,
      _meta: META,
    },
    {
      type: "resource",
      resource: { uri: "rich://bytes", mimeType: "application/pdf", blob: "JVBERi0=", _meta: META },
    },
  ],
  structuredContent: { n: 1 },
  _meta: META,
};

serveStdio(() => {
  const server = new Server(
    { name: "rich", version: "1.0.0", title: "Rich", websiteUrl: "https://example.com/", icons: ICONS },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        logging: {},
      },
      instructions: "Call rich first.",
    },
  );
  const tools = [...TOOLS];
  server.setRequestHandler("tools/list", () => ({ tools }));
  server.setRequestHandler("prompts/list", () => ({ prompts: [PROMPT] }));
  server.setRequestHandler("resources/list", () => ({ resources: [RESOURCE] }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [TEMPLATE] }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => {
    if (uri === "rich://bytes")
      return { contents: [{ uri, mimeType: "application/pdf", blob: "JVBERi0=", _meta: META }] };
    if (!/^rich:\/\/(doc|page\/\d+)$/.test(uri))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no ${uri}.`);
    return { contents: [{ uri, mimeType: "text/plain", text: `text of ${uri}`, _meta: META }], _meta: META };
  });
  server.setRequestHandler("prompts/get", ({ params }) => ({
    description: "Greets",
    messages: [{ role: "user", content: { type: "text", text: `Hello, ${params.arguments?.who}!` } }],
    _meta: META,
  }));
  server.setRequestHandler("completion/complete", ({ params }) => ({
    completion: { values: [`${params.argument.value}da`], total: 1, hasMore: false },
    _meta: META,
  }));
  server.setRequestHandler("resources/subscribe", () => ({}));
  server.setRequestHandler("logging/setLevel", () => ({}));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    switch (params.name) {
      case "rich":
        return RICH;
      case "fail":
        return { content: [{ type: "text", text: "It broke." }], isError: true };
      case "refuse":
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Not like this.", { why: "because" });
      case "progress":
        for (const [progress, total] of [
          [25, 100],
          [50, 100],
          [100, 100],
        ] as const)
          if (progressToken !== undefined) {
            const told = { progressToken, progress, total, message: `at ${progress}`, _meta: META };
            await mcpReq.notify({ method: "notifications/progress", params: told });
            await new Promise((resolve) => setTimeout(resolve, 60));
          }
        return { content: [] };
      case "log":
        await mcpReq.notify({
          method: "notifications/message",
          params: { level: "notice", logger: "disk", data: "nearly full", _meta: META },
        });
        await new Promise((resolve) => setTimeout(resolve, 60));
        return { content: [{ type: "text", text: "logged" }] };
      case "change":
        if (tools.length === TOOLS.length)
          tools.push({ name: "newcomer", description: "New", inputSchema: { type: "object" } });
        await server.sendToolListChanged();
        return { content: [] };
      case "sample":
        return {
          content: [
            {
              type: "text",
              text: JSON.stringify(await server.createMessage({ messages: [], maxTokens: 1 })),
            },
          ],
        };
      default:
        return { content: [{ type: "text", text: JSON.stringify(await server.listRoots()) }] };
    }
  });
  return server;
});
