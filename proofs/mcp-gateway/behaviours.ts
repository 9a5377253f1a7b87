import type { Client } from "@modelcontextprotocol/client";

/** Something that a server does beside its results, and what becomes of it on the way to a client. */
export interface Behaviour {
  name: string;
  fate: "carried" | "changed" | "refused";
  why: string;
  /** Whether a client behind the gateway sees what the fate says. */
  holds(client: Client): Promise<boolean>;
}

const NOT_CARRIED = "a rig serves its own; those of a server are had by connecting to it";
const refuses = (asked: Promise<unknown>) =>
  asked.then(
    () => false,
    () => true,
  );
const textOf = ({ content }: { content: unknown }) => (content as { text?: string }[])[0]?.text ?? "";

export const BEHAVIOURS: readonly Behaviour[] = [
  {
    name: "an error of the tool",
    fate: "changed",
    why: "its words stand behind the failure's code",
    async holds(client) {
      const told = await client.callTool({ name: "it__fail", arguments: {} });
      return told.isError === true && /TOOL_EXECUTION_FAILED.*It broke\./.test(textOf(told));
    },
  },
  {
    name: "an error of the protocol",
    fate: "changed",
    why: "it is a failed result with the server's words; code and data stay in the gateway",
    async holds(client) {
      const told = await client.callTool({ name: "it__refuse", arguments: {} });
      return told.isError === true && textOf(told).includes("Not like this.");
    },
  },
  {
    name: "instructions",
    fate: "refused",
    why: "a server does not instruct the clients of the rig",
    holds: async (client) => !String(client.getInstructions()).includes("Call rich first."),
  },
  {
    name: "prompts",
    fate: "refused",
    why: NOT_CARRIED,
    holds: async (client) =>
      (await client.listPrompts()).prompts.length === 0 &&
      (await refuses(client.getPrompt({ name: "greet", arguments: { who: "Ada" } }))),
  },
  {
    name: "resources",
    fate: "refused",
    why: NOT_CARRIED,
    holds: async (client) =>
      (await client.listResources()).resources.length === 0 &&
      (await refuses(client.readResource({ uri: "rich://doc" }))),
  },
  {
    name: "resource templates",
    fate: "refused",
    why: NOT_CARRIED,
    holds: async (client) => (await client.listResourceTemplates()).resourceTemplates.length === 0,
  },
  {
    name: "completions",
    fate: "refused",
    why: NOT_CARRIED,
    async holds(client) {
      const ref = { type: "ref/prompt", name: "greet" } as const;
      const { completion } = await client.complete({ ref, argument: { name: "who", value: "A" } });
      return completion.values.length === 0;
    },
  },
  {
    name: "subscriptions to resources",
    fate: "refused",
    why: "what cannot be read cannot be subscribed to",
    holds: async (client) =>
      client.getProtocolEra() === "modern" ||
      (await refuses(client.subscribeResource({ uri: "rich://doc" }))),
  },
  ...["sample", "roots"].map(
    (name): Behaviour => ({
      name: name === "sample" ? "sampling" : "roots",
      fate: "refused",
      why: "models and folders are not given to servers",
      holds: async (client) =>
        (await client.callTool({ name: `it__${name}`, arguments: {} })).isError === true,
    }),
  ),
];
