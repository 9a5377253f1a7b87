import type { ToolResult } from "../call/result.ts";
import { failure, ToolrigError } from "../failure/failure.ts";
import { newId } from "../ids.ts";
import { nearestNames } from "../nearest.ts";
import { declareOptions, type OptionTable } from "../options/declare-options.ts";
import { flag, oneOf, part, text } from "../options/kinds.ts";
import type { DescriptionStore } from "../stores/descriptions.ts";
import type { ToolContext } from "../tool/context.ts";
import type { ToolDefinition } from "../tool/definition.ts";
import type { AiSdkTool } from "../tool/from-ai-sdk.ts";
import type { AnyTool } from "../tool/tool.ts";
import { newestFirst, satisfies } from "../tool/version.ts";
import { DefinitionList } from "./definition-list.ts";
import { Describer } from "./described.ts";
import { asTool, type ToolList, type ToolSource, toolsOf } from "./source.ts";

export interface RegistryOptions {
  /** What happens when a name and version is taken. Default "reject". */
  onConflict?: "reject" | "replace";
  descriptions?: DescriptionStore;
}

export interface AddOptions {
  /** The group the tool belongs to. Tools from outside never share one with others. Default "local", or "outside" for those. */
  provider?: string;
  /** No other provider can replace or shadow it, and it replaces an impostor that came first. */
  protected?: boolean;
  /**
   * It steps aside for any other provider's tool of its name: it is not added beside one, dropped when one is added, and in
   * combined sources never found before one. For tools that were made at run time. Default false.
   */
  yields?: boolean;
  /** The name of an AI SDK tool, which has none of its own. */
  name?: string;
}

export interface ToolStatus {
  name: string;
  version: string | undefined;
  type: string;
  provider: string;
  description: string;
  available: boolean;
  /** Why not, when not available. */
  reason: string | undefined;
}

const registryOptions = declareOptions("Registry", {
  onConflict: oneOf(["reject", "replace"], { default: "reject" }),
  descriptions: part("a store of descriptions", ["get"]),
} satisfies OptionTable<RegistryOptions>);

const addOptions = declareOptions("registry.add", {
  provider: text(),
  protected: flag({ default: false }),
  yields: flag({ default: false }),
  name: text(),
} satisfies OptionTable<AddOptions>);

interface Entry {
  tool: AnyTool;
  provider: string;
  protected: boolean;
  yields: boolean;
}

const byName = (a: Entry, b: Entry) =>
  a.tool.name < b.tool.name
    ? -1
    : a.tool.name > b.tool.name
      ? 1
      : newestFirst(a.tool.version, b.tool.version);

/**
 * Tools by name, grouped by provider. All lists are sorted by name, so that prompts rendered from them are stable.
 *
 * @example
 * ```ts
 * import { Registry, tool } from "@toolrig/core";
 *
 * const common = { input: { type: "object" }, execute: () => "done" } as const;
 * const readFile = tool({ ...common, name: "read_file", description: "Read a file" });
 * const sendMail = tool({ ...common, name: "send_mail", description: "Send a mail" });
 *
 * const registry = new Registry([sendMail]);
 * registry.add(readFile, { provider: "files" });
 * console.log(registry.definitions().map(({ name }) => name)); //=> [ 'read_file', 'send_mail' ]
 * registry.removeProvider("files");
 * console.log(registry.get("read_file")); //=> undefined
 * ```
 */
export class Registry implements ToolSource {
  readonly #entries = new Map<string, Entry[]>();
  readonly #onConflict: "reject" | "replace";
  #version = 0;
  #sorted: readonly Entry[] | undefined;
  readonly #list = new DefinitionList(this);
  readonly #describer: Describer | undefined;

  constructor(tools: ToolList = [], options: RegistryOptions = {}) {
    const { onConflict, descriptions } = registryOptions.withDefaults(options);
    this.#onConflict = onConflict;
    this.#describer = descriptions === undefined ? undefined : new Describer(descriptions);
    for (const tool of toolsOf(tools)) this.add(tool);
  }

  get version(): string {
    return `${this.#version}.${this.#describer?.version ?? 0}`;
  }

  /** Adds a tool. Throws `TOOL_NAME_TAKEN` when the conflict policy or a protected tool forbids it. */
  add(tool: AnyTool | AiSdkTool, options: AddOptions = {}): this {
    addOptions.check(options);
    const given = asTool(tool, options.name);
    const entry: Entry = {
      tool: given,
      provider: options.provider ?? (given.trusted ? "local" : "outside"),
      protected: options.protected === true,
      yields: options.yields === true,
    };
    const { name, version } = entry.tool;
    const present = (this.#entries.get(name) ?? []).filter(
      (other) => !other.yields || other.provider === entry.provider,
    );
    this.#refuseShadowing(entry, present);
    const kept = entry.protected ? present.filter((other) => other.provider === entry.provider) : present;
    const taken = kept.find((other) => other.tool.version === version);
    if (taken !== undefined && this.#onConflict === "reject" && !(entry.protected && !taken.protected)) {
      throw nameTaken(entry, taken, 'Remove it first, or create the registry with onConflict: "replace".');
    }
    this.#entries.set(name, [...kept.filter((other) => other !== taken), entry].sort(byName));
    this.#changed();
    return this;
  }

  /** A tool from outside never takes a name that another provider has, in any version; nor does anyone a protected one. */
  #refuseShadowing(entry: Entry, present: readonly Entry[]): void {
    if (!entry.tool.trusted && this.#isLocal(entry.provider)) throw providerTaken(entry);
    const foreign = present.find((other) => other.provider !== entry.provider);
    if (foreign === undefined) return;
    const guarded = present.find((other) => other.protected && other.provider !== entry.provider);
    if (guarded !== undefined)
      throw nameTaken(entry, guarded, "That tool is protected. Choose another name.");
    if (entry.yields || !entry.tool.trusted) {
      const kind = entry.yields ? "that was made at run time" : "from outside";
      throw nameTaken(
        entry,
        foreign,
        `A tool ${kind} never replaces another provider's. Choose another name.`,
      );
    }
  }

  /** Whether a provider has tools of this program: an entry of an allowlist that names it means those. */
  #isLocal(provider: string): boolean {
    if (provider === "local") return true;
    for (const present of this.#entries.values())
      if (present.some((other) => other.provider === provider && other.tool.trusted)) return true;
    return false;
  }

  /** Removes one version of a tool, or all of them. Returns whether there was one. */
  remove(name: string, version?: string): boolean {
    const present = this.#entries.get(name);
    if (present === undefined) return false;
    const kept = version === undefined ? [] : present.filter((entry) => entry.tool.version !== version);
    if (kept.length === present.length) return false;
    this.#keep(name, kept);
    this.#changed();
    return true;
  }

  /** Removes all tools of a provider. Returns how many there were. */
  removeProvider(provider: string): number {
    let removed = 0;
    for (const [name, present] of [...this.#entries]) {
      const kept = present.filter((entry) => entry.provider !== provider);
      removed += present.length - kept.length;
      if (kept.length < present.length) this.#keep(name, kept);
    }
    if (removed > 0) this.#changed();
    return removed;
  }

  get(name: string, range?: string): AnyTool | undefined {
    const present = this.#entries.get(name);
    if (present === undefined || range === undefined) return present?.[0]?.tool;
    return present.find((entry) => satisfies(entry.tool.version, range))?.tool;
  }

  providerOf(tool: AnyTool): string | undefined {
    return this.#entries.get(tool.name)?.find((entry) => entry.tool === tool)?.provider;
  }

  yields(tool: AnyTool): boolean {
    return this.#entries.get(tool.name)?.some((entry) => entry.tool === tool && entry.yields) === true;
  }

  /** What the model is told of a tool: with the description of the store, where it has one. */
  definitionOf(tool: AnyTool): ToolDefinition {
    return this.#describer?.describe(tool.definition) ?? tool.definition;
  }

  /** Every tool in every version. */
  tools(): readonly AnyTool[] {
    return this.#all().map((entry) => entry.tool);
  }

  /**
   * What a model is told: the newest version of each tool that is available now and that `ranges` accepts. The same
   * list object is returned until it would differ.
   */
  definitions(ranges?: Readonly<Record<string, string>>): readonly ToolDefinition[] {
    return this.#list.current(ranges);
  }

  /** The definitions of all tools in all versions, available or not. */
  allDefinitions(): readonly ToolDefinition[] {
    return this.#all().map((entry) => this.definitionOf(entry.tool));
  }

  checkAvailability(): ToolStatus[] {
    return this.#all().map(({ tool, provider }) => {
      const available = tool.available();
      return {
        name: tool.name,
        version: tool.version,
        type: tool.type,
        provider,
        description: this.definitionOf(tool).description,
        available: available === true,
        reason: available === true ? undefined : available,
      };
    });
  }

  /**
   * Raw dispatch: checks only that the tool exists. No validation, limits, hooks or events; calls from a model go
   * through an executor.
   */
  async execute(name: string, args: unknown): Promise<unknown> {
    const tool = this.get(name);
    if (tool === undefined) {
      const near = nearestNames(name, this.#entries.keys());
      const hint = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
      throw failure({ code: "TOOL_NOT_FOUND", message: `No tool is called "${name}".${hint}` });
    }
    return tool.execute(args, new BareContext());
  }

  #all(): readonly Entry[] {
    this.#sorted ??= [...this.#entries.values()].flat().sort(byName);
    return this.#sorted;
  }

  #keep(name: string, kept: Entry[]): void {
    if (kept.length === 0) this.#entries.delete(name);
    else this.#entries.set(name, kept);
  }

  #changed(): void {
    this.#version += 1;
    this.#sorted = undefined;
  }
}

function nameTaken(entry: Entry, taken: Entry, advice: string): ToolrigError {
  const label =
    entry.tool.version === undefined ? entry.tool.name : `${entry.tool.name} ${entry.tool.version}`;
  return new ToolrigError(
    "TOOL_NAME_TAKEN",
    `Provider "${entry.provider}" cannot add ${label}: provider "${taken.provider}" has a tool of that name. ${advice}`,
  );
}

function providerTaken({ provider, tool }: Entry): ToolrigError {
  return new ToolrigError(
    "TOOL_NAME_TAKEN",
    `${tool.name} comes from outside and cannot be added to provider "${provider}", which has tools of this program. Give the outside tools a provider name of their own.`,
  );
}

const quiet = () => {};

/** The context of a raw dispatch: real identifiers, no deadline, nobody listening, no pipeline to call others through. */
class BareContext implements ToolContext {
  readonly executionId = newId("exec");
  readonly callId = this.executionId;
  readonly idempotencyKey = this.executionId;
  readonly attempt = 1;
  readonly runId = undefined;
  readonly requestId = undefined;
  readonly stepName = undefined;
  readonly principal = undefined;
  readonly trace = undefined;
  readonly loop = undefined;
  readonly read = undefined;
  readonly maxContent = Number.POSITIVE_INFINITY;
  readonly timeoutMs = undefined;
  readonly log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  readonly signal = new AbortController().signal;

  update(): void {}
  effect(): void {}

  async readOutput(): Promise<undefined> {
    return undefined;
  }

  readonly held = true;

  get token(): string {
    throw new ToolrigError(
      "OPTION_INVALID",
      "registry.execute() is raw dispatch: nothing is deferred. Use an Executor.",
    );
  }

  ask(): Promise<never> {
    const message = "registry.execute() is raw dispatch: there is nobody to ask. Use an Executor.";
    return Promise.reject(new ToolrigError("OPTION_INVALID", message));
  }

  call(name: string): Promise<ToolResult> {
    const message = `registry.execute() is raw dispatch, so ${name} cannot be called from inside a tool. Use an Executor.`;
    return Promise.reject(new ToolrigError("OPTION_INVALID", message));
  }
}
