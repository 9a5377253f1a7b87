import type { Registry } from "@toolrig/core";
import { messageOf } from "@toolrig/core/kit";
import type { Admission } from "../defence/admit.ts";

export interface SkippedTool {
  name: string;
  reason: string;
}

/** The tools of one connection in a registry: those that stay are not touched, so that nobody sees them gone for a moment. */
export class Registered {
  readonly #registry: Registry;
  readonly #provider: string;
  readonly #hashes = new Map<string, string>();

  constructor(registry: Registry, connection: string) {
    this.#registry = registry;
    this.#provider = `mcp:${connection}`;
  }

  get names(): string[] {
    return [...this.#hashes.keys()].sort();
  }

  /** Answers which could not be registered, and why. */
  update(tools: Admission["tools"]): SkippedTool[] {
    const named = new Set(tools.map(({ name }) => name));
    for (const name of [...this.#hashes.keys()]) if (!named.has(name)) this.#remove(name);
    const skipped: SkippedTool[] = [];
    for (const { name, own, hash, tool } of tools) {
      if (this.#hashes.get(name) === hash) continue;
      this.#remove(name);
      try {
        this.#registry.add(tool, { provider: this.#provider });
        this.#hashes.set(name, hash);
      } catch (error) {
        skipped.push({ name: own, reason: messageOf(error) });
      }
    }
    return skipped;
  }

  clear(): void {
    for (const name of [...this.#hashes.keys()]) this.#remove(name);
  }

  /** Only what is ours: a protected tool may have taken the name since. */
  #remove(name: string): void {
    if (!this.#hashes.delete(name)) return;
    const present = this.#registry.get(name);
    if (present !== undefined && this.#registry.providerOf(present) === this.#provider)
      this.#registry.remove(name);
  }
}
