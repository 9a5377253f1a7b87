import { type AnyTool, combineSources, Registry, type ToolDefinition, type ToolSource } from "@toolrig/core";
import {
  declareOptions,
  defined,
  definitionIn,
  newestAvailable,
  type OptionTable,
  option,
  wrapSource,
} from "@toolrig/core/kit";
import type { Allowed } from "./definitions.ts";
import { FIND_TOOLS, findToolsTool } from "./find-tools.ts";
import { type EmbedOptions, embedOptions, Meaning } from "./meaning.ts";
import { indexOf, selectByMeaning } from "./select-tools.ts";

export interface SelectionOptions extends Partial<EmbedOptions> {
  /** Up to this many tools are all offered; beyond it they are offered through search. Default 40. */
  threshold?: number;
  /** How many tools that fit the task are offered from the start. Default 10. */
  initial?: number;
  /** Tools that are always offered, first. */
  always?: readonly string[];
  /** How many tools one search adds at most. Default 5. */
  found?: number;
  /** How a search tells what it found, such as `declarations` of the sandbox for scripts. Default: as JSON Schema. */
  declare?: (definitions: readonly ToolDefinition[]) => string;
}

export const selectionOptions = declareOptions("selection", {
  ...embedOptions.table,
  threshold: option.count(0, { default: 40 }),
  initial: option.count(0, { default: 10 }),
  always: option.strings("a list of tool names"),
  found: option.count(0, { default: 5 }),
  declare: option.callback(),
} satisfies OptionTable<SelectionOptions>);

type Counts = Required<Omit<SelectionOptions, keyof EmbedOptions | "declare">>;

interface Offering {
  names: Set<string>;
  /** What was last offered, for as long as it would not differ. */
  definitions: readonly ToolDefinition[];
}

/**
 * Offers a large set of tools through search: `find_tools`, the tools that fit the task, and then what the model finds,
 * each behind those before it. What was offered keeps its place for the whole run, so that prompt caches stay warm.
 */
export class Selection {
  /** The tools and `find_tools`. */
  readonly source: ToolSource;
  readonly #tools: ToolSource;
  readonly #finder: AnyTool;
  readonly #shows: (tool: AnyTool) => boolean;
  readonly #options: Counts;
  readonly #meaning: Meaning | undefined;
  readonly #runs = new Map<string, Offering | "all">();

  /** `trusts` says whether what a tool says of itself is this program's word. */
  constructor(
    tools: ToolSource,
    options: SelectionOptions,
    allowed: Allowed = () => undefined,
    trusts: (tool: AnyTool) => boolean = ({ trusted }) => trusted,
  ) {
    this.#options = countsOf(options);
    const { threshold: _, initial: __, always: ___, found: ____, declare, ...embedding } = options;
    const { embed } = embedding;
    this.#meaning = embed === undefined ? undefined : new Meaning({ ...embedding, embed });
    this.#tools = tools;
    this.#shows = (tool) => allowed(tool, tools) === undefined;
    this.#finder = findToolsTool(tools, {
      ...embedding,
      ...defined({ declare }),
      count: this.#options.found,
      shows: this.#shows,
      trusts,
      onFound: (found, runId) => this.#found(found, runId),
    });
    const finder = wrapSource(new Registry([this.#finder]), {
      describe: (tool) => definitionIn(tools, tool),
      version: () => tools.version,
    });
    this.source = combineSources(finder, tools);
  }

  /**
   * Chooses what a run is offered first by what its task means. Undefined when there is nothing to wait for: the run has
   * begun, all tools are offered, or no embedder was given. The signal ends the wait; it never rejects.
   */
  prepare(runId: string, task: () => string, signal: AbortSignal): Promise<void> | undefined {
    if (this.#meaning === undefined || this.#runs.has(runId) || this.#isSmall()) return undefined;
    const options = { meaning: this.#meaning, shows: this.#shows, signal };
    const fitting = selectByMeaning(this.#tools, task(), this.#options.initial, options);
    return fitting.then((tools) => void this.#begin(runId, tools));
  }

  /** What a run is offered now, or undefined when there are few enough tools to offer all. */
  definitions(runId: string, task: () => string): readonly ToolDefinition[] | undefined {
    const offering = this.#runs.get(runId) ?? this.#beginByWords(runId, task);
    return offering === "all" ? undefined : this.#listed(offering);
  }

  forget(runId: string): void {
    this.#runs.delete(runId);
  }

  #isSmall(): boolean {
    return this.#tools.tools().length <= this.#options.threshold;
  }

  #beginByWords(runId: string, task: () => string): Offering | "all" {
    if (!this.#isSmall()) {
      const fitting = indexOf(this.#tools).select(task(), this.#options.initial, { shows: this.#shows });
      return this.#begin(runId, fitting);
    }
    this.#runs.set(runId, "all");
    return "all";
  }

  #begin(runId: string, fitting: readonly AnyTool[]): Offering {
    const names = new Set([FIND_TOOLS, ...this.#options.always, ...fitting.map((tool) => tool.name)]);
    const offering: Offering = { names, definitions: [] };
    this.#runs.set(runId, offering);
    return offering;
  }

  #found(tools: readonly AnyTool[], runId: string | undefined): void {
    const offering = runId === undefined ? undefined : this.#runs.get(runId);
    if (typeof offering !== "object") return;
    for (const tool of tools) offering.names.add(tool.name);
  }

  #listed(offering: Offering): readonly ToolDefinition[] {
    const tools: AnyTool[] = [];
    for (const name of offering.names) {
      const tool = name === FIND_TOOLS ? this.#finder : newestAvailable(this.#tools, name);
      if (tool === undefined || tool.available() !== true) continue;
      if (tool === this.#finder || this.#shows(tool)) tools.push(tool);
    }
    const definitions = tools.map((tool) => definitionIn(this.source, tool));
    if (!sameItems(definitions, offering.definitions)) offering.definitions = definitions;
    return offering.definitions;
  }
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

function countsOf(options: SelectionOptions): Counts {
  selectionOptions.check(options, "selection");
  const { threshold, initial, found, always = [] } = selectionOptions.withDefaults(options);
  return { threshold, initial, found, always: [...always] };
}
