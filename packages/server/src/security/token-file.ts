import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { ToolrigError } from "@toolrig/core";
import { newId } from "@toolrig/core/kit";
import type { Scope } from "../wire.ts";
import { checkToken, newToken, type ServerToken, type TokenSource } from "./token.ts";

/** A token as the file has it. */
export interface KeptToken extends ServerToken {
  id: string;
  /** Epoch milliseconds. */
  createdAt: number;
  principal: { id: string };
  scopes: Scope[];
}

const EVERY_MS = 1_000;

/**
 * Tokens in a file of their own that only its owner may read: hashes, never the tokens. Changes by other processes count
 * within a second. A file that is gone or broken lets nobody in.
 */
export class TokenFile implements TokenSource {
  readonly path: string;
  #tokens: readonly ServerToken[] = [];
  #lookedAt = Number.NEGATIVE_INFINITY;
  #stamp = "";

  constructor(path: string) {
    this.path = resolve(path);
  }

  get exists(): boolean {
    return existsSync(this.path);
  }

  current(): readonly ServerToken[] {
    const now = performance.now();
    if (now - this.#lookedAt < EVERY_MS) return this.#tokens;
    this.#lookedAt = now;
    try {
      const { mtimeMs, size, ino } = statSync(this.path);
      const stamp = `${mtimeMs} ${size} ${ino}`;
      if (stamp === this.#stamp) return this.#tokens;
      this.#tokens = this.list().map(({ createdAt: _, ...token }) => token);
      this.#stamp = stamp;
    } catch {
      this.#tokens = [];
      this.#stamp = "";
    }
    return this.#tokens;
  }

  /** Throws `CONFIG_INVALID` for a file that others may read, or that is none. */
  list(): KeptToken[] {
    if (!this.exists) return [];
    if (process.platform !== "win32" && (statSync(this.path).mode & 0o077) !== 0)
      throw this.#problem(`others may read it; run chmod 600 ${this.path}.`);
    try {
      const { tokens } = JSON.parse(readFileSync(this.path, "utf8")) as { tokens: KeptToken[] };
      for (const [index, { createdAt: _, ...token }] of tokens.entries())
        checkToken(`tokens[${index}]`, token);
      return tokens;
    } catch (error) {
      throw this.#problem(`it cannot be used: ${(error as Error).message}`);
    }
  }

  /** Makes one, and returns it: nobody can be told it again. */
  add(principal: string, scopes: readonly Scope[], expiresAt?: number): { token: string; kept: KeptToken } {
    const { token, sha256 } = newToken();
    const id = `tok_${sha256.slice(0, 8)}`;
    const kept: KeptToken = {
      id,
      sha256,
      principal: { id: principal },
      scopes: [...scopes],
      createdAt: Date.now(),
      ...(expiresAt !== undefined && { expiresAt }),
    };
    this.#write([...this.list(), kept]);
    return { token, kept };
  }

  /** By its id or the name it was made for. Returns how many were revoked. */
  revoke(idOrName: string): number {
    const all = this.list();
    const left = all.filter(({ id, principal }) => id !== idOrName && principal.id !== idOrName);
    if (left.length < all.length) this.#write(left);
    return all.length - left.length;
  }

  /** Whole or not at all, whenever the process ends. */
  #write(tokens: readonly KeptToken[]): void {
    mkdirSync(dirname(this.path), { recursive: true });
    const draft = `${this.path}.${newId("draft")}`;
    const file = openSync(draft, "wx", 0o600);
    writeSync(file, `${JSON.stringify({ version: 1, tokens }, undefined, 2)}\n`);
    fsyncSync(file);
    closeSync(file);
    renameSync(draft, this.path);
    this.#lookedAt = Number.NEGATIVE_INFINITY;
  }

  #problem(what: string): ToolrigError {
    return new ToolrigError("CONFIG_INVALID", `${this.path}: ${what}`);
  }
}
