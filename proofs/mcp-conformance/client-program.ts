/**
 * The client under test: a rig with one connection, as anybody would set it up. The harness starts it once a scenario, with the
 * address of a server that it watches. Every tool is called, every question answered and every authorization given, by a person
 * who agrees to all of it.
 */
import { type Executor, Registry, Executor as RigExecutor, type ToolDefinition } from "@toolrig/core";
import { type ConnectionOptions, connectMcp } from "@toolrig/mcp";

interface ToolCall {
  name: string;
  arguments: Record<string, unknown>;
}

interface Context {
  toolCalls?: ToolCall[];
  client_id?: string;
  client_secret?: string;
}

const NAME = "server";
const url = process.argv.at(-1) ?? "";
const { MCP_CONFORMANCE_CONTEXT, MCP_CONFORMANCE_PROTOCOL_VERSION: version = "" } = process.env;
const context = JSON.parse(MCP_CONFORMANCE_CONTEXT ?? "{}") as Context;

const registry = new Registry();
const executor = new RigExecutor({ tools: registry });
const mcp = connectMcp(
  { registry },
  { servers: { [NAME]: connectionOf(context) }, onAuthorize: ({ url }) => void visit(url) },
);
const answering = setInterval(() => void answerAll(executor), 20);
try {
  await untilTried();
  const calls = context.toolCalls ?? registry.definitions().map((each) => callOf(each));
  for (const each of calls) await call(each);
} finally {
  clearInterval(answering);
  const { state, reason, skipped } = mcp.get(NAME);
  console.error(state, reason ?? "", skipped);
  await mcp.close();
}

function connectionOf({ client_id: clientId, client_secret: clientSecret }: Context): ConnectionOptions {
  const clientMetadataUrl = "https://conformance-test.local/client-metadata.json";
  const auth =
    clientId === undefined
      ? { clientMetadataUrl }
      : { clientId, ...(clientSecret !== undefined && { clientSecret }) };
  // The suite has a limit of its own, and starts all scenarios at once.
  return { url, auth, era: version >= "2026" ? "2026" : "2025", connectTimeout: "10m" };
}

/** Ready, or refused for good: a server that needs authorization is there when somebody has given it. */
async function untilTried(): Promise<void> {
  await mcp.ready;
  for (let refusals = 0; refusals < 100; refusals++) {
    const { state, reason = "" } = mcp.get(NAME);
    if (state === "ready") return;
    if (state === "connecting" || reason.startsWith("it needs authorization")) refusals = 0;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function call({ name, arguments: args }: ToolCall): Promise<void> {
  const full = name.startsWith(`${NAME}__`) ? name : `${NAME}__${name}`;
  const { isError, content } = await executor.call({ id: full, name: full, arguments: args });
  console.error(full, isError ? "failed" : "done", JSON.stringify(content).slice(0, 200));
}

/** What anybody would call a tool with. A tool that wants a schema gets that of another one. */
function callOf({ name, inputSchema }: ToolDefinition): ToolCall {
  const { properties = {}, required = [] } = inputSchema as {
    properties?: Record<string, { type?: string }>;
    required?: string[];
  };
  const args = required.map((field) => [field, valueFor(field, properties[field]?.type, name)]);
  return { name, arguments: Object.fromEntries(args) };
}

function valueFor(field: string, type: string | undefined, tool: string): unknown {
  if (field === "schema") return registry.definitions().find(({ name }) => name !== tool)?.inputSchema;
  if (type === "number" || type === "integer") return 5;
  if (type === "boolean") return true;
  return type === "object" ? {} : type === "array" ? [] : "text";
}

async function answerAll({ waits }: Executor): Promise<void> {
  for (const { id } of await waits.list({ open: true, kind: "question" }))
    await waits.answer(id, { by: { id: "person" }, value: {} }).catch(() => {});
}

/** A browser in which somebody agrees. */
async function visit(address: string): Promise<void> {
  for (let next: string | null = address; next !== null; ) {
    const response: Response = await fetch(next, { redirect: "manual" });
    next = response.headers.get("location");
  }
}
