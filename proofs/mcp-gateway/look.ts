import { Client, type Transport } from "@modelcontextprotocol/client";
import type { Kind } from "./fates.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What a client sees of the rich server, by the kinds of the table. */
export type Seen = Readonly<Record<Kind, Fields>>;

export type Revision = "2025-11-25" | "2026-07-28";

/** How the client calls what the server calls so. */
export interface Names {
  tool(own: string): string;
  /** Of the connection that is trusted. */
  trusted(own: string): string;
  uri(own: string): string;
}

export const ALONE: Names = { tool: (own) => own, trusted: (own) => own, uri: (own) => own };

export const THROUGH: Names = {
  tool: (own) => `it__${own}`,
  trusted: (own) => `own__${own}`,
  uri: (own) => `toolrig://mcp/it/${own}`,
};

/** A client; with `gives` one that answers for a model and has a folder. */
export async function clientTo(transport: Transport, revision: Revision, gives = false): Promise<Client> {
  const client = new Client(
    { name: "gateway-proof", version: "1" },
    {
      capabilities: gives ? { sampling: {}, roots: {} } : {},
      versionNegotiation: { mode: revision === "2025-11-25" ? "legacy" : { pin: revision } },
    },
  );
  if (gives) {
    const content = { type: "text", text: "the model's answer" } as const;
    client.setRequestHandler("sampling/createMessage", () => ({ role: "assistant", model: "m", content }));
    client.setRequestHandler("roots/list", () => ({ roots: [{ uri: "file:///work", name: "work" }] }));
  }
  await client.connect(transport);
  return client;
}

/** Looks at everything that the rich server has. */
export async function look(client: Client, names: Names): Promise<Seen> {
  const seen = {
    ...(await tools(client, names)),
    ...(await told(client, names)),
    ...(await offers(client, names)),
  };
  return Object.fromEntries(
    Object.entries(seen).map(([kind, fields]) => [kind, withOwnMeta(fields)]),
  ) as Seen;
}

/** Without what the two sides of one connection tell each other. */
function withOwnMeta({ _meta, ...fields }: Fields): Fields {
  const own = Object.entries(Object(_meta)).filter(([key]) => !key.startsWith("io.modelcontextprotocol/"));
  return own.length === 0 ? fields : { ...fields, _meta: Object.fromEntries(own) };
}

const first = (list: unknown): Fields => ({ ...((list as Fields[] | undefined)?.[0] ?? {}) });

async function tools(client: Client, { tool, trusted }: Names) {
  const { tools: listed } = await client.listTools();
  const named = (name: string) => listed.find((each) => each.name === name);
  const rich = await client.callTool({ name: tool("rich"), arguments: {} });
  const failed = await client.callTool({ name: tool("fail"), arguments: {} });
  const [text, image, audio, link, embedded, blob] = rich.content as unknown as Record<string, Fields>[];
  return {
    tool: { ...named(tool("rich")) },
    trusted: { ...named(trusted("rich"))?.annotations },
    result: { ...rich, isError: failed.isError },
    text: { ...text },
    image: { ...image },
    audio: { ...audio },
    link: { ...link },
    embedded: { ...embedded },
    words: { ...embedded?.resource },
    bytes: { ...blob?.resource },
    annotations: { ...text?.annotations },
    icon: first(named(tool("rich"))?.icons),
    server: { ...client.getServerVersion() },
  };
}

async function told(client: Client, { tool }: Names) {
  const logs: Fields[] = [];
  client.setNotificationHandler("notifications/message", ({ params }) => void logs.push(params));
  if (client.getProtocolEra() !== "modern") await client.setLoggingLevel("debug");
  const steps: Fields[] = [];
  const onprogress = (step: object) => void steps.push(step as Fields);
  await client.callTool({ name: tool("progress"), arguments: {} }, { onprogress });
  const _meta = { "io.modelcontextprotocol/logLevel": "debug" };
  await client.callTool({ name: tool("log"), arguments: {}, _meta });
  return { progress: first(steps), log: first(logs) };
}

async function offers(client: Client, { tool, uri }: Names) {
  const { prompts } = await client.listPrompts();
  const prompt = prompts.find(({ name }) => name === tool("greet"));
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  const got = await client.getPrompt({ name: tool("greet"), arguments: { who: "Ada" } });
  const read = await client.readResource({ uri: uri("rich://doc") });
  const ref = { type: "ref/prompt", name: tool("greet") } as const;
  const completed = await client.complete({ ref, argument: { name: "who", value: "A" } });
  return {
    prompt: { ...prompt },
    argument: first(prompt?.arguments),
    got: { ...got },
    message: first(got.messages),
    resource: { ...resources.find((each) => each.uri === uri("rich://doc")) },
    template: { ...resourceTemplates.find((each) => each.uriTemplate === uri("rich://page/{n}")) },
    read: { ...read },
    completion: { ...completed.completion },
    completed: { ...completed },
    updated: await update(client, tool, uri),
  };
}

/** What is told of a resource that changes while the client has subscribed to it. */
async function update(client: Client, tool: Names["tool"], uri: Names["uri"]): Promise<Fields> {
  const came = Promise.withResolvers<Fields>();
  client.setNotificationHandler("notifications/resources/updated", ({ params }) =>
    came.resolve({ ...params }),
  );
  const watched = uri("rich://doc");
  const stream =
    client.getProtocolEra() === "modern"
      ? await client.listen({ resourceSubscriptions: [watched] })
      : await client.subscribeResource({ uri: watched }).then(() => undefined);
  await client.callTool({ name: tool("touch"), arguments: {} });
  const told = await came.promise;
  await (stream?.close() ?? client.unsubscribeResource({ uri: watched }));
  return told;
}
