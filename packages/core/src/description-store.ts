/**
 * Descriptions that replace the ones in code, at run time. `version` grows with every change; whatever was rendered
 * from descriptions is stale once it differs.
 */
export interface DescriptionStore {
  readonly version: number;
  get(name: string): string | undefined;
  set(name: string, description: string): void;
  delete(name: string): void;
}

export class MemoryDescriptionStore implements DescriptionStore {
  readonly #descriptions = new Map<string, string>();
  #version = 0;

  get version(): number {
    return this.#version;
  }

  get(name: string): string | undefined {
    return this.#descriptions.get(name);
  }

  set(name: string, description: string): void {
    this.#descriptions.set(name, description);
    this.#version += 1;
  }

  delete(name: string): void {
    if (this.#descriptions.delete(name)) this.#version += 1;
  }
}
