import { check } from "../options/check.ts";
import type { DescriptionStore } from "../stores/descriptions.ts";
import type { ToolDefinition } from "../tool/definition.ts";
import type { ToolSource } from "./source.ts";
import { wrapSource } from "./wrap-source.ts";

/**
 * What a store makes of definitions. A store that cannot be read changes nothing: a call must not fail because its tool
 * could have been described better.
 */
export class Describer {
  readonly #store: DescriptionStore;
  readonly #described = new WeakMap<ToolDefinition, ToolDefinition>();
  #version = 0;
  #failures = 0;

  constructor(store: DescriptionStore) {
    check.has("descriptions", store, ["get"], "a store of descriptions");
    this.#store = store;
  }

  /** Also differs after a failure to read, so that what was rendered without the store is rendered again. */
  get version(): string {
    try {
      this.#version = this.#store.version;
    } catch {}
    return `${this.#version}-${this.#failures}`;
  }

  /** The definition with the description that the store holds for its name, where there is one. */
  describe(definition: ToolDefinition): ToolDefinition {
    const description = this.#descriptionOf(definition);
    if (description === definition.description) return definition;
    let described = this.#described.get(definition);
    if (described?.description !== description) {
      described = Object.freeze({ ...definition, description });
      this.#described.set(definition, described);
    }
    return described;
  }

  #descriptionOf({ name, description }: ToolDefinition): string {
    try {
      return this.#store.get(name) ?? description;
    } catch {
      this.#failures += 1;
      return description;
    }
  }
}

/** A source whose tools are described as a store says. A change there holds from the next listing on. */
export function withDescriptions(source: ToolSource, store: DescriptionStore): ToolSource {
  const describer = new Describer(store);
  return wrapSource(source, {
    describe: (_tool, definition) => describer.describe(definition),
    version: () => describer.version,
  });
}
