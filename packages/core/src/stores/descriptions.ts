import { check } from "../options/check.ts";

/** A description as it was from one version of the store to the next change of its name. */
export interface DescriptionChange {
  version: number;
  /** Undefined: the override was deleted. */
  description: string | undefined;
  /** Epoch milliseconds. */
  at: number;
}

/**
 * Descriptions that replace the ones in code, at run time. `version` grows with every change; whatever was rendered
 * from descriptions is stale once it differs.
 */
export interface DescriptionStore {
  readonly version: number;
  get(name: string): string | undefined;
  /** Throws `OPTION_INVALID` for a description that is no text, or empty: `delete` brings back the one in code. */
  set(name: string, description: string): void;
  delete(name: string): void;
  /** All changes of one name, oldest first. */
  history(name: string): readonly DescriptionChange[];
}

export class MemoryDescriptionStore implements DescriptionStore {
  readonly #descriptions = new Map<string, string>();
  readonly #history = new Map<string, DescriptionChange[]>();
  #version = 0;

  get version(): number {
    return this.#version;
  }

  get(name: string): string | undefined {
    return this.#descriptions.get(name);
  }

  set(name: string, description: string): void {
    check.string("description", description);
    if (this.#descriptions.get(name) === description) return;
    this.#descriptions.set(name, description);
    this.#changed(name, description);
  }

  delete(name: string): void {
    if (this.#descriptions.delete(name)) this.#changed(name, undefined);
  }

  history(name: string): readonly DescriptionChange[] {
    return this.#history.get(name) ?? [];
  }

  #changed(name: string, description: string | undefined): void {
    this.#version += 1;
    const changes = this.#history.get(name) ?? [];
    changes.push({ version: this.#version, description, at: Date.now() });
    this.#history.set(name, changes);
  }
}
