/** An MCP server over stdio, of both revisions, that uses every field of the protocol that a server can. */
import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  type Resource,
  type ResourceTemplateType,
  Server,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const ICONS = [
  { src: "https://example.com/icon.png", mimeType: "image/png", sizes: ["48x48"], theme: "light" as const },
];
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
  ...["fail", "refuse", "progress", "endless", "log", "change", "touch", "large", "sample", "roots"].map(
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
  arguments: [{ name: "who", title: "Who", description: "Whom to greet", required: true } as never],
};
const LARGE = Buffer.alloc(300_000, "bytes").toString("base64");

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
    { type: "resource", resource: { uri: "rich://photo", mimeType: "image/png", blob: PIXEL, _meta: META } },
  ],
  structuredContent: { n: 1 },
  _meta: META,
};

type Asking = Pick<ServerContext["mcpReq"], "envelope" | "inputResponses">;

/** Asks the client for an answer of its model or for its folders, in the way of the revision, and says what came. */
async function asked(
  server: Server,
  method: "sampling/createMessage" | "roots/list",
  { envelope, inputResponses }: Asking,
): Promise<CallToolResult | InputRequiredResult> {
  const messages = [{ role: "user" as const, content: { type: "text" as const, text: "Well?" } }];
  const params = method === "roots/list" ? {} : { messages, maxTokens: 10 };
  if (envelope !== undefined && inputResponses?.it === undefined)
    return inputRequired({ inputRequests: { it: { method, params } as never } });
  const sampled = () => server.createMessage({ messages, maxTokens: 10 });
  const came = inputResponses?.it ?? (await (method === "roots/list" ? server.listRoots() : sampled()));
  return { content: [{ type: "text", text: JSON.stringify(came) }] };
}

serveStdio(() => {
  const server = new Server(
    {
      name: "rich",
      version: "1.0.0",
      title: "Rich",
      description: "Has one of everything",
      websiteUrl: "https://example.com/",
      icons: ICONS,
    },
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
  const prompts = [PROMPT];
  const resources = [RESOURCE];
  server.setRequestHandler("tools/list", () => ({ tools }));
  server.setRequestHandler("prompts/list", () => ({ prompts }));
  server.setRequestHandler("resources/list", () => ({ resources }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [TEMPLATE] }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => {
    if (uri === "rich://bytes")
      return { contents: [{ uri, mimeType: "application/pdf", blob: "JVBERi0=", _meta: META }], _meta: META };
    if (uri === "rich://large") return { contents: [{ uri, mimeType: "application/pdf", blob: LARGE }] };
    if (uri === "rich://book")
      return { contents: [{ uri, mimeType: "text/plain", text: "word ".repeat(20_000) }] };
    if (!/^rich:\/\/(doc|page\/\d+)$/.test(uri))
      throw new ProtocolError(-32_002, `There is no ${uri}.`, { uri });
    return { contents: [{ uri, mimeType: "text/plain", text: `text of ${uri}`, _meta: META }], _meta: META };
  });
  server.setRequestHandler("prompts/get", ({ params }) => {
    if (params.name !== "greet")
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no ${params.name}.`, {
        why: "because",
      });
    const text = `Hello, ${params.arguments?.who}!`;
    const said = { type: "text" as const, text, annotations: HINTS, _meta: META };
    const link = { type: "resource_link" as const, ...RESOURCE };
    return {
      description: "Greets",
      messages: [
        { role: "user", content: said },
        { role: "assistant", content: link },
        { role: "user", content: { type: "image", data: PIXEL, mimeType: "image/png" } },
      ],
      _meta: META,
    };
  });
  server.setRequestHandler("completion/complete", ({ params: { ref, argument, context } }) => {
    const of = ref.type === "ref/prompt" ? ref.name : ref.uri;
    const values = [`${argument.value}da`, of, JSON.stringify(context?.arguments ?? {})];
    return { completion: { values, total: 7, hasMore: true }, _meta: META };
  });
  server.setRequestHandler("resources/subscribe", () => ({}));
  server.setRequestHandler("resources/unsubscribe", () => ({}));
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
      case "endless":
        for (const progress of [10, 20, 30])
          if (progressToken !== undefined) {
            await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress } });
            await new Promise((resolve) => setTimeout(resolve, 60));
          }
        return { content: [] };
      case "touch":
        await server.sendResourceUpdated({ uri: "rich://doc", _meta: META });
        return { content: [] };
      case "large":
        return {
          content: [
            { type: "resource", resource: { uri: "rich://large", mimeType: "application/pdf", blob: LARGE } },
          ],
        };
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
        if (prompts.length === 1) prompts.push({ ...PROMPT, name: "newcomer" });
        if (resources.length === 1) resources.push({ ...RESOURCE, uri: "rich://newcomer", name: "newcomer" });
        await server.sendToolListChanged();
        await server.sendPromptListChanged();
        await server.sendResourceListChanged();
        return { content: [] };
      default:
        return asked(server, params.name === "sample" ? "sampling/createMessage" : "roots/list", mcpReq);
    }
  });
  return server;
});
