import { Client, type Transport } from "@modelcontextprotocol/client";
import type { Kind } from "./fates.ts";

/** What a client sees of the rich server, by the kinds of the table. */
export type Seen = Readonly<Record<Kind, Readonly<Record<string, unknown>>>>;

export type Revision = "2025-11-25" | "2026-07-28";

export async function clientTo(transport: Transport, revision: Revision): Promise<Client> {
  const client = new Client(
    { name: "gateway-proof", version: "1" },
    {
      capabilities: {},
      versionNegotiation: { mode: revision === "2025-11-25" ? "legacy" : { pin: revision } },
    },
  );
  await client.connect(transport);
  return client;
}

/** Looks at everything that the rich server has. `nameOf` gives the name under which the client knows what the server calls so. */
export async function look(
  client: Client,
  nameOf: (own: string) => string,
  trusted: (own: string) => string,
): Promise<Seen> {
  const logs: Record<string, unknown>[] = [];
  client.setNotificationHandler("notifications/message", ({ params }) => void logs.push(params));
  if (client.getProtocolEra() !== "modern") await client.setLoggingLevel("debug");
  const { tools } = await client.listTools();
  const named = (name: string) => tools.find((each) => each.name === name);
  const rich = await client.callTool({ name: nameOf("rich"), arguments: {} });
  const failed = await client.callTool({ name: nameOf("fail"), arguments: {} });
  const steps: Record<string, unknown>[] = [];
  await client.callTool(
    { name: nameOf("progress"), arguments: {} },
    { onprogress: (step) => void steps.push(step as never) },
  );
  const _meta = { "io.modelcontextprotocol/logLevel": "debug" };
  await client.callTool({ name: nameOf("log"), arguments: {}, _meta });
  const content = rich.content as unknown as Record<string, Record<string, unknown>>[];
  const [text, image, audio, link, embedded, blob] = content;
  return {
    tool: { ...named(nameOf("rich")) },
    trusted: { ...named(trusted("rich"))?.annotations },
    result: { ...rich, isError: failed.isError },
    text: { ...text },
    image: { ...image },
    audio: { ...audio },
    link: { ...link },
    embedded: { ...embedded },
    words: { ...embedded?.resource },
    bytes: { ...blob?.resource },
    progress: { ...steps.at(0) },
    log: { ...logs.at(0) },
  };
}
