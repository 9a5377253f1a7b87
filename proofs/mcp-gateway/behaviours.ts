import { type Client, ProtocolError } from "@modelcontextprotocol/client";
import type { Mcp } from "@toolrig/mcp";
import type { Revision } from "./look.ts";

export interface Between {
  client: Client;
  mcp: Mcp;
  revision: Revision;
}

/** Something that a server does beside its fields, and what becomes of it on the way to a client. */
export interface Behaviour {
  name: string;
  fate: "carried" | "changed" | "refused";
  why: string;
  /** Whether a client behind the gateway sees what the fate says: true, or what it saw instead. */
  holds(between: Between): Promise<unknown>;
}

const textOf = ({ content }: { content: unknown }) => (content as { text?: string }[])[0]?.text ?? "";
const uri = (own: string) => `toolrig://mcp/it/${own}`;

async function refusal(asked: Promise<unknown>) {
  try {
    return { answered: await asked };
  } catch (error) {
    if (!ProtocolError.isInstance(error)) throw error;
    const { code, message, data } = error;
    return { code, message, data };
  }
}

const is = (value: boolean, seen: unknown) => (value ? true : JSON.stringify(seen).slice(0, 400));

export const BEHAVIOURS: readonly Behaviour[] = [
  {
    name: "an error of the tool",
    fate: "changed",
    why: "its words stand behind the failure's code",
    async holds({ client }) {
      const told = await client.callTool({ name: "it__fail", arguments: {} });
      return is(told.isError === true && /TOOL_EXECUTION_FAILED.*It broke\./.test(textOf(told)), told);
    },
  },
  {
    name: "an error of the protocol in a call",
    fate: "changed",
    why: "it is a failed result, which models are shown, with the server's words; its code and data are in `_meta`",
    async holds({ client }) {
      const told = await client.callTool({ name: "it__refuse", arguments: {} });
      const { error } = Object(told._meta?.["toolrig/failure"]) as { error?: Record<string, unknown> };
      const isWhole = error?.code === -32_602 && JSON.stringify(error.data) === '{"why":"because"}';
      return is(told.isError === true && textOf(told).includes("Not like this.") && isWhole, told);
    },
  },
  {
    name: "an error of the protocol for a prompt or a resource",
    fate: "carried",
    why: "code, words and data",
    async holds({ client }) {
      const told = await refusal(client.readResource({ uri: uri("rich://nothing") }));
      return is(/There is no rich:\/\/nothing/.test(String(told.message)) && (told.code ?? 0) < 0, told);
    },
  },
  {
    name: "instructions",
    fate: "changed",
    why: "they stand behind those of the rig, marked as the server's own words; pinned",
    async holds({ client }) {
      const told = client.getInstructions() ?? "";
      const own = 'The MCP server "it" says of its tools (its own words, not verified):\nCall rich first.';
      return is(told.startsWith("Be brief.\n\n") && told.includes(own), told);
    },
  },
  {
    name: "progress without a total",
    fate: "carried",
    why: "as the server counts",
    async holds({ client }) {
      const steps: object[] = [];
      const onprogress = ({ progress, total }: { progress: number; total?: number | undefined }) =>
        void steps.push({ progress, total });
      await client.callTool({ name: "it__endless", arguments: {} }, { onprogress });
      return is(JSON.stringify(steps[0]) === '{"progress":10}', steps);
    },
  },
  {
    name: "a link in a result",
    fate: "carried",
    why: "it leads to the server's resource through the gateway",
    async holds({ client }) {
      const { content } = await client.callTool({ name: "it__rich", arguments: {} });
      const link = (content as { type: string; uri?: string }[]).find(({ type }) => type === "resource_link");
      const { contents } = await client.readResource({ uri: link?.uri ?? "" });
      return is((contents[0] as { text?: string }).text === "text of rich://doc", contents);
    },
  },
  {
    name: "a picture in a resource",
    fate: "carried",
    why: "with its URI",
    async holds({ client }) {
      const { content } = await client.callTool({ name: "it__rich", arguments: {} });
      const photo = (content as { resource?: { uri: string; blob?: string } }[]).at(-1)?.resource;
      return is(photo?.uri === uri("rich://photo") && (photo.blob?.length ?? 0) > 0, photo);
    },
  },
  {
    name: "bytes of over maxContent characters in a result",
    fate: "changed",
    why: "they are an artifact, which the result links to and the client reads whole",
    async holds({ client }) {
      const { content } = await client.callTool({ name: "it__large", arguments: {} });
      const [link] = content as { type: string; uri: string; size?: number }[];
      const { contents } = await client.readResource({ uri: link?.uri ?? "" });
      const bytes = Buffer.from((contents[0] as { blob?: string }).blob ?? "", "base64");
      return is(link?.size === 300_000 && bytes.equals(Buffer.alloc(300_000, "bytes")), link);
    },
  },
  {
    name: "a resource of over maxContent characters, of bytes or text",
    fate: "carried",
    why: "whole: the client has asked for just that",
    async holds({ client }) {
      const large = await client.readResource({ uri: uri("rich://large") });
      const bytes = Buffer.from((large.contents[0] as { blob?: string }).blob ?? "", "base64");
      const book = await client.readResource({ uri: uri("rich://book") });
      const [{ text = "", uri: at } = { uri: "" }] = book.contents as { text?: string; uri: string }[];
      const isBook =
        text === "word ".repeat(20_000) && at === uri("rich://book") && book.contents.length === 1;
      return is(bytes.length === 300_000 && isBook, [bytes.length, text.length, book.contents.length, at]);
    },
  },
  {
    name: "messages of a prompt",
    fate: "carried",
    why: "each with its role and content, links as above",
    async holds({ client }) {
      const { messages } = await client.getPrompt({ name: "it__greet", arguments: { who: "Ada" } });
      const said = messages.map(({ role, content }) => `${role} ${content.type}`).join();
      const link = messages[1]?.content as { uri?: string };
      return is(
        said === "user text,assistant resource_link,user image" && link.uri === uri("rich://doc"),
        messages,
      );
    },
  },
  {
    name: "a resource of a template",
    fate: "carried",
    why: "any URI of the connection is read by its server",
    async holds({ client }) {
      const { contents } = await client.readResource({ uri: uri("rich://page/7") });
      return is((contents[0] as { text?: string }).text === "text of rich://page/7", contents);
    },
  },
  {
    name: "completions for templates, with what was chosen before",
    fate: "carried",
    why: "the server is told its own names",
    async holds({ client }) {
      const ref = { type: "ref/resource", uri: uri("rich://page/{n}") } as const;
      const context = { arguments: { book: "b" } };
      const { completion } = await client.complete({ ref, argument: { name: "n", value: "1" }, context });
      return is(completion.values.join() === '1da,rich://page/{n},{"book":"b"}', completion);
    },
  },
  {
    name: "changes of lists",
    fate: "changed",
    why: "what is new is told of when somebody has accepted it; resources, which are data, at once",
    async holds({ client, mcp, revision }) {
      const came = new Set<string>();
      for (const kind of ["tools", "prompts", "resources"] as const)
        client.setNotificationHandler(`notifications/${kind}/list_changed`, () => void came.add(kind));
      const filter = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
      const stream = revision === "2026-07-28" ? await client.listen(filter) : undefined;
      await client.callTool({ name: "it__change", arguments: {} });
      await until(() => came.has("resources") && mcp.get("it").quarantined.length === 2);
      const before = (await client.listPrompts()).prompts.some(({ name }) => name === "it__newcomer");
      await mcp.accept("it");
      await until(() => came.has("tools") && came.has("prompts"));
      const { prompts } = await client.listPrompts();
      const { resources } = await client.listResources();
      await stream?.close();
      const isThere =
        prompts.some(({ name }) => name === "it__newcomer") &&
        resources.some((each) => each.uri === uri("rich://newcomer"));
      return is(!before && isThere, [before, isThere]);
    },
  },
  {
    name: "two servers with the same names and URIs",
    fate: "carried",
    why: "each under its connection",
    async holds({ client }) {
      const { resources } = await client.listResources();
      const docs = resources.filter(({ name }) => name === "doc").map((each) => each.uri);
      return is(docs.sort().join() === "toolrig://mcp/it/rich://doc,toolrig://mcp/own/rich://doc", docs);
    },
  },
  ...(["sample", "roots"] as const).flatMap((name): Behaviour[] => {
    const what = name === "sample" ? "sampling" : name;
    const came = name === "sample" ? "the model's answer" : "file:///work";
    return [
      {
        name: what,
        fate: "refused",
        why: "a server is given neither models nor folders, unless its connection's `give` says so",
        holds: async ({ client }) =>
          (await client.callTool({ name: `it__${name}`, arguments: {} })).isError === true,
      },
      {
        name: `${what}, where \`give\` has it`,
        fate: "carried",
        why: "the client in front answers, told whose words they are; without tools and the context of other servers",
        async holds({ client }) {
          const told = await client.callTool({ name: `own__${name}`, arguments: {} });
          return is(told.isError !== true && textOf(told).includes(came), told);
        },
      },
    ];
  }),
];

/** Rejects when it has not become true after far longer than it takes. */
async function until(isTrue: () => boolean): Promise<void> {
  const over = Date.now() + 60_000;
  while (!isTrue()) {
    if (Date.now() > over) throw new Error("it did not come");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
