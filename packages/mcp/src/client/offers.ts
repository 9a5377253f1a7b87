import type { Prompt, Resource, ResourceTemplateType, Tool } from "@modelcontextprotocol/client";
import type { Registry } from "@toolrig/core";
import { messageOf } from "@toolrig/core/kit";
import type { Admission } from "../defence/admit.ts";
import type { AdmittedOffers } from "../defence/admit-offers.ts";
import type { Connection } from "./connection.ts";
import { type OfferKind, offerTool, offerToolName } from "./offer-tools.ts";

/** What a server offers beside its tools. All of it is a stranger's: cleaned and limited, and not to be believed. */
export interface ServerOffers {
  readonly connection: string;
  readonly instructions: string | undefined;
  /** Each under the name that clients in front know it by, with the server's own. */
  readonly prompts: readonly { own: string; prompt: Prompt }[];
  /** Under the server's own URIs. */
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplateType[];
  /** What clients are told of tools beside their definitions, by the name of the tool here. */
  readonly tools: ReadonlyMap<string, Pick<Tool, "icons" | "_meta">>;
}

interface Known {
  readonly connection: Connection;
  readonly offers: ServerOffers;
  /** Another one when what it offers is another. */
  readonly mark: string;
  /** Those that ask the server. */
  readonly tools: Set<string>;
}

/** What the connections of a rig offer beside tools: an MCP server in front of the rig serves it on. */
export class Offers {
  readonly #registry: Registry;
  readonly #servers = new Map<string, Known>();
  readonly #listeners = new Set<(connection: string, uri: string) => void>();
  #version = 0;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Differs when something of it does. */
  get version(): number {
    return this.#version;
  }

  list(): readonly ServerOffers[] {
    return [...this.#servers.values()].map(({ offers }) => offers);
  }

  /** Watches a resource until the function that is given back is called. Rejects when its server refuses, or is not there. */
  async watch(connection: string, uri: string): Promise<() => void> {
    const known = this.#servers.get(connection);
    if (known === undefined) throw new Error(`No MCP connection is called "${connection}".`);
    return known.connection.watching.watch(uri);
  }

  /** Told of resources that are watched, by their connection and the server's own URI. Returns how to stop. */
  onUpdated(listener: (connection: string, uri: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  updated(connection: string, uri: string): void {
    for (const listener of this.#listeners) listener(connection, uri);
  }

  /** Takes what a server offers now. Answers what could not be taken. */
  update(connection: Connection, admitted: AdmittedOffers, tools: Admission["tools"]): string[] {
    const { name } = connection;
    const { instructions, prompts, resources, templates } = admitted;
    const told = new Map(tools.map((tool) => [tool.name, toldOf(tool)] as const));
    const offers = { connection: name, instructions, prompts, resources, templates, tools: told };
    const last = this.#servers.get(name);
    if (last !== undefined && last.connection !== connection) this.remove(last.connection);
    const before = this.#servers.get(name);
    const mark = JSON.stringify([admitted.mark, tools.map(({ name: tool, hash }) => [tool, hash])]);
    if (before?.mark !== mark) this.#version += 1;
    const known = { connection, offers, mark, tools: before?.tools ?? new Set<string>() };
    this.#servers.set(name, known);
    return this.#offer(known);
  }

  remove(connection: Connection): void {
    const known = this.#servers.get(connection.name);
    if (known?.connection !== connection) return;
    this.#servers.delete(connection.name);
    this.#version += 1;
    for (const tool of known.tools) this.#registry.remove(tool);
  }

  /** The tools that ask the server, as many as it has use for. */
  #offer({ connection, tools }: { connection: Connection; tools: Set<string> }): string[] {
    const refused: string[] = [];
    for (const kind of ["prompts", "resources", "completions"] as const satisfies OfferKind[]) {
      const tool = offerToolName(connection.name, kind);
      const isWanted = connection.carries(kind);
      if (isWanted === tools.has(tool)) continue;
      try {
        if (isWanted) this.#registry.add(offerTool(connection, kind), { provider: `mcp:${connection.name}` });
        else this.#registry.remove(tool);
        if (isWanted) tools.add(tool);
        else tools.delete(tool);
      } catch (error) {
        refused.push(`Its ${kind} are not offered: ${messageOf(error)}`);
      }
    }
    return refused;
  }
}

function toldOf({ icons, meta: _meta }: Admission["tools"][number]): Pick<Tool, "icons" | "_meta"> {
  return { ...(icons !== undefined && { icons }), ...(_meta !== undefined && { _meta }) };
}
