import type { Prompt, Resource, ResourceTemplateType, Tool } from "@modelcontextprotocol/server";
import type { ContentPart, ToolSource } from "@toolrig/core";
import { type OfferKind, offerToolName } from "../client/offer-tools.ts";
import type { Offers, ServerOffers } from "../client/offers.ts";
import { behindUri, gatewayUri } from "../wire/gateway-uri.ts";

/** A request of a client as a call of the tool that asks the server behind. */
export interface AskBehind {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

type Reference = { type: "ref/prompt"; name: string } | { type: "ref/resource"; uri: string };

/**
 * What servers behind the rig have beside tools, as far as a view may use it: a view that may not use the tool which asks a server for
 * something has nothing of it. Without connections there is nothing.
 */
export class Behind {
  readonly #source: ToolSource;
  readonly #offers: Offers | undefined;

  constructor(source: ToolSource, offers: Offers | undefined) {
    this.#source = source;
    this.#offers = offers;
  }

  prompts(): Prompt[] {
    return this.#with("prompts").flatMap(({ prompts }) => prompts.map(({ prompt }) => prompt));
  }

  resources(): Resource[] {
    return this.#with("resources").flatMap(({ connection, resources }) =>
      resources.map((each) => ({ ...each, uri: gatewayUri(connection, each.uri) })),
    );
  }

  templates(): ResourceTemplateType[] {
    return this.#with("resources").flatMap(({ connection, templates }) =>
      templates.map((each) => ({ ...each, uriTemplate: gatewayUri(connection, each.uriTemplate) })),
    );
  }

  /** What is told of a tool beside its definition. */
  told(tool: string): Pick<Tool, "icons" | "_meta"> {
    for (const { connection, tools } of this.#offers?.list() ?? []) {
      const told = tools.get(tool);
      if (told !== undefined && this.#isOf(connection, tool)) return told;
    }
    return {};
  }

  /** Undefined when there is no such prompt in this view. */
  prompt(name: string, args: unknown): AskBehind | undefined {
    for (const { connection, prompts } of this.#with("prompts")) {
      const known = prompts.find(({ prompt }) => prompt.name === name);
      if (known !== undefined)
        return {
          tool: offerToolName(connection, "prompts"),
          args: { name: known.own, arguments: args ?? {} },
        };
    }
    return undefined;
  }

  /** Undefined when the URI is not of a connection in this view. What its server has under the URI is the server's to say. */
  resource(uri: string): (AskBehind & { connection: string; own: string }) | undefined {
    const behind = behindUri(uri);
    if (behind === undefined || !this.#has(behind.connection, "resources")) return undefined;
    return { tool: offerToolName(behind.connection, "resources"), args: { uri: behind.own }, ...behind };
  }

  /** Undefined when what is referred to is not behind this view. */
  completion(ref: Reference, argument: unknown, context: unknown): AskBehind | undefined {
    const own = ref.type === "ref/prompt" ? this.#ownPrompt(ref.name) : this.#ownTemplate(ref.uri);
    if (own === undefined || !this.#has(own.connection, "completions")) return undefined;
    const args = { ref: own.ref, argument, ...(context !== undefined && { context }) };
    return { tool: offerToolName(own.connection, "completions"), args };
  }

  /** A URI that a client can come back with: where its server is known here, and only for what this view may read. */
  readonly uriOf = (part: Exclude<ContentPart, { type: "text" }>): string => {
    const { uri = "", source } = part;
    if (source === undefined) return uri;
    // A server that names URIs of ours names its own all the same: it leads nobody to what another server or an artifact has.
    return this.#has(source, "resources") || /^toolrig:/i.test(uri) ? gatewayUri(source, uri) : uri;
  };

  /** What models are told of the whole, with the words of servers behind marked as theirs. */
  instructions(own: string | undefined): string | undefined {
    const said = (this.#offers?.list() ?? []).flatMap(({ connection, instructions }) =>
      instructions === undefined || !this.#isSeen(connection)
        ? []
        : [
            `The MCP server "${connection}" says of its tools (its own words, not verified):\n${instructions}`,
          ],
    );
    const all = [...(own === undefined ? [] : [own]), ...said];
    return all.length === 0 ? undefined : all.join("\n\n");
  }

  #ownPrompt(name: string) {
    for (const { connection, prompts } of this.#with("prompts")) {
      const known = prompts.find(({ prompt }) => prompt.name === name);
      if (known !== undefined) return { connection, ref: { type: "ref/prompt", name: known.own } };
    }
    return undefined;
  }

  #ownTemplate(uri: string) {
    const behind = behindUri(uri);
    if (behind === undefined || !this.#has(behind.connection, "resources")) return undefined;
    return { connection: behind.connection, ref: { type: "ref/resource", uri: behind.own } };
  }

  #with(kind: OfferKind): ServerOffers[] {
    return (this.#offers?.list() ?? []).filter(({ connection }) => this.#has(connection, kind));
  }

  #has(connection: string, kind: OfferKind): boolean {
    return this.#isOf(connection, offerToolName(connection, kind));
  }

  #isOf(connection: string, name: string): boolean {
    const tool = this.#source.get(name);
    return tool !== undefined && this.#source.providerOf?.(tool) === `mcp:${connection}`;
  }

  /** Whether the view has any tool of the connection. */
  #isSeen(connection: string): boolean {
    const provider = `mcp:${connection}`;
    return this.#source.tools().some((tool) => this.#source.providerOf?.(tool) === provider);
  }
}
