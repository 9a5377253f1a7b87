import { isDeepStrictEqual } from "node:util";
import type { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { openGateway } from "./gateway.ts";
import { clientTo } from "./look.ts";
import type { ThirdParty } from "./third-parties.ts";

export interface Comparison {
  misses: readonly string[];
  /** What was the same, in words. */
  compared: string;
}

/** Everything that a third-party server has, alone and through the gateway. */
export async function compare(party: ThirdParty): Promise<Comparison> {
  const { name } = party;
  const alone = await clientTo(
    new StdioClientTransport({ ...party.program(), stderr: "ignore" }),
    "2025-11-25",
  );
  const gateway = await openGateway({ [name]: party.program() }, "2025-11-25");
  const comparing = new Comparing(party, alone, gateway.client);
  try {
    await comparing.lists();
    await comparing.calls();
    await comparing.prompts();
    await comparing.resources();
    comparing.instructions();
    return comparing.result();
  } finally {
    await alone.close();
    await gateway.close();
  }
}

class Comparing {
  readonly #party: ThirdParty;
  readonly #alone: Client;
  readonly #through: Client;
  readonly #misses: string[] = [];
  readonly #counts = { tools: 0, calls: 0, prompts: 0, resources: 0, templates: 0 };

  constructor(party: ThirdParty, alone: Client, through: Client) {
    this.#party = party;
    this.#alone = alone;
    this.#through = through;
  }

  async lists(): Promise<void> {
    const has = this.#alone.getServerCapabilities() ?? {};
    const { tools } = await this.#alone.listTools();
    const known = new Map((await this.#through.listTools()).tools.map((tool) => [tool.name, tool]));
    this.#counts.tools = tools.length;
    for (const { annotations: _, execution: __, ...tool } of tools) {
      const { annotations: ___, execution: ____, ...got } = known.get(this.#named(tool.name)) ?? {};
      const inputSchema = withDefaultsOptional(tool.inputSchema);
      this.#same(`tool ${tool.name}`, { ...tool, inputSchema, name: this.#named(tool.name) }, got);
    }
    if (has.prompts !== undefined) {
      const { prompts } = await this.#alone.listPrompts();
      this.#counts.prompts = prompts.length;
      const named = prompts.map((prompt) => ({ ...prompt, name: this.#named(prompt.name) }));
      this.#same("prompts", named, (await this.#through.listPrompts()).prompts);
    }
    if (has.resources === undefined) return;
    const { resources } = await this.#alone.listResources();
    this.#counts.resources = resources.length;
    const placed = resources.map((each) => ({ ...each, uri: this.#uri(each.uri) }));
    this.#same("resources", placed, (await this.#through.listResources()).resources);
    const { resourceTemplates } = await this.#alone.listResourceTemplates();
    this.#counts.templates = resourceTemplates.length;
    const made = resourceTemplates.map((each) => ({ ...each, uriTemplate: this.#uri(each.uriTemplate) }));
    this.#same("templates", made, (await this.#through.listResourceTemplates()).resourceTemplates);
  }

  async calls(): Promise<void> {
    for (const { tool, args } of this.#party.calls) {
      const sent = await this.#alone.callTool({ name: tool, arguments: args });
      const got = await this.#through.callTool({ name: this.#named(tool), arguments: args });
      this.#counts.calls += 1;
      const told =
        sent.isError === true
          ? undefined
          : { content: this.#placed(sent.content), value: sent.structuredContent };
      const came = got.isError === true ? undefined : { content: got.content, value: got.structuredContent };
      this.#same(`call of ${tool}`, told, came);
    }
  }

  async prompts(): Promise<void> {
    if (this.#alone.getServerCapabilities()?.prompts === undefined) return;
    for (const { name, arguments: args = [] } of (await this.#alone.listPrompts()).prompts) {
      const given = this.#party.prompts?.[name] ?? {};
      if (args.some((each) => each.required === true && given[each.name] === undefined)) continue;
      const sent = await this.#alone.getPrompt({ name, arguments: given });
      const got = await this.#through.getPrompt({ name: this.#named(name), arguments: given });
      this.#same(`prompt ${name}`, this.#placed(sent), got);
    }
  }

  async resources(): Promise<void> {
    if (this.#alone.getServerCapabilities()?.resources === undefined) return;
    const listed = (await this.#alone.listResources()).resources.map(({ uri }) => uri);
    for (const uri of [...listed.slice(0, 5), ...(this.#party.resources ?? [])]) {
      const sent = await this.#alone.readResource({ uri }).catch(() => undefined);
      const got = await this.#through.readResource({ uri: this.#uri(uri) }).catch(() => undefined);
      this.#same(`resource ${uri}`, this.#placed(sent), got);
    }
  }

  instructions(): void {
    const said = this.#alone.getInstructions();
    if (said === undefined || this.#through.getInstructions()?.includes(said.trim()) === true) return;
    this.#misses.push("its instructions are not told");
  }

  result(): Comparison {
    const counted = Object.entries(this.#counts).map(([what, count]) => `${count} ${what}`);
    return { misses: this.#misses, compared: `the same alone and through: ${counted.join(", ")}` };
  }

  #named(own: string): string {
    return `${this.#party.name}__${own}`;
  }

  #uri(own: string): string {
    return `toolrig://mcp/${this.#party.name}/${own}`;
  }

  /** With every URI of the server as the gateway has it. */
  #placed(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#placed(each));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        key,
        key === "uri" && this.#alone.getServerCapabilities()?.resources !== undefined
          ? this.#uri(String(each))
          : this.#placed(each),
      ]),
    );
  }

  /** Times and counters differ from one run to the next. */
  #same(what: string, sent: unknown, got: unknown): void {
    const [one, other] = [masked(sent), masked(got)];
    if (!isDeepStrictEqual(one, other))
      this.#misses.push(`${what} is ${JSON.stringify(other)}, not ${JSON.stringify(one)}`.slice(0, 600));
  }
}

function masked(value: unknown): unknown {
  const { _meta: _, ...rest } = Object(value) as { _meta?: unknown };
  const shown = Array.isArray(value) || typeof value !== "object" ? value : rest;
  const text = JSON.stringify(shown ?? null);
  return JSON.parse(text.replaceAll(/\d+(?=[^"]*")/g, "0"));
}

/** What a schema has a default for need not be given: the server fills it in. */
function withDefaultsOptional<
  Schema extends { required?: string[] | undefined; properties?: object | undefined },
>(schema: Schema): Schema {
  const properties = (schema.properties ?? {}) as Record<string, { default?: unknown }>;
  if (schema.required?.every((name) => properties[name]?.default === undefined) !== false) return schema;
  const required = schema.required.filter((name) => properties[name]?.default === undefined);
  return { ...schema, required };
}
