import { type AnyTool, combineSources, Registry, type ToolDefinition, type ToolSource } from "@toolrig/core";
import { check, definitionIn, newestAvailable } from "@toolrig/core/kit";
import type { Allowed } from "./definitions.ts";
import { FIND_TOOLS, findToolsTool } from "./find-tools.ts";
import { indexOf } from "./select-tools.ts";

export interface SelectionOptions {
  /** Up to this many tools are all offered; beyond it they are offered through search. Default 40. */
  threshold?: number;
  /** How many tools that fit the task are offered from the start. Default 10. */
  initial?: number;
  /** Tools that are always offered, first. */
  always?: readonly string[];
  /** How many tools one search adds at most. Default 5. */
  found?: number;
}

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
  readonly #allowed: Allowed;
  readonly #options: Required<SelectionOptions>;
  readonly #runs = new Map<string, Offering | "all">();

  constructor(tools: ToolSource, options: SelectionOptions, allowed: Allowed = () => undefined) {
    this.#options = checked(options);
    this.#tools = tools;
    this.#allowed = allowed;
    this.#finder = findToolsTool(tools, {
      count: this.#options.found,
      shows: (tool) => allowed(tool, tools) === undefined,
      onFound: (found, runId) => this.#found(found, runId),
    });
    this.source = combineSources(new Registry([this.#finder]), tools);
  }

  /** What a run is offered now, or undefined when there are few enough tools to offer all. */
  definitions(runId: string, task: () => string): readonly ToolDefinition[] | undefined {
    let offering = this.#runs.get(runId);
    if (offering === undefined) {
      offering = this.#tools.tools().length <= this.#options.threshold ? "all" : this.#begin(task());
      this.#runs.set(runId, offering);
    }
    return offering === "all" ? undefined : this.#listed(offering);
  }

  forget(runId: string): void {
    this.#runs.delete(runId);
  }

  #begin(task: string): Offering {
    const { always, initial } = this.#options;
    const shows = (tool: AnyTool) => this.#allowed(tool, this.#tools) === undefined;
    const fitting = indexOf(this.#tools).select(task, initial, shows);
    const names = new Set([FIND_TOOLS, ...always, ...fitting.map((tool) => tool.name)]);
    return { names, definitions: [] };
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
      if (tool === this.#finder || this.#allowed(tool, this.#tools) === undefined) tools.push(tool);
    }
    const definitions = tools.map((tool) => definitionIn(this.source, tool));
    if (!sameItems(definitions, offering.definitions)) offering.definitions = definitions;
    return offering.definitions;
  }
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

function checked({
  threshold = 40,
  initial = 10,
  always = [],
  found = 5,
}: SelectionOptions): Required<SelectionOptions> {
  for (const [field, value] of Object.entries({ threshold, initial, found })) {
    check.count(`selection.${field}`, value, 0);
  }
  return { threshold, initial, always, found };
}
