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
import { check, defined, newId } from "@toolrig/core/kit";
import type { Scope } from "../wire.ts";
import { whileLocked } from "./file-lock.ts";
import { newToken, type ServerToken, type TokenSource, tokenOptions } from "./token.ts";

/** A token as the file has it. */
export interface KeptToken extends ServerToken {
  id: string;
  /** Epoch milliseconds. */
  createdAt: number;
  principal: { id: string };
  scopes: Scope[];
}

const EVERY_MS = 500;

/**
 * Tokens in a file of their own that only its owner may read: hashes, never the tokens. Changes by other processes count
 * within a second, and none of several at once is lost. A file that is gone, broken or open to others lets nobody in.
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
      // A change of who may read it changes ctime alone.
      const { mtimeMs, ctimeMs, size, ino } = statSync(this.path);
      const stamp = `${mtimeMs} ${ctimeMs} ${size} ${ino}`;
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
      for (const [index, kept] of tokens.entries()) checkKept(`tokens[${index}]`, kept);
      return tokens;
    } catch (error) {
      throw this.#problem(`it cannot be used: ${(error as Error).message}`);
    }
  }

  /** Makes one, and returns it: nobody can be told it again. Throws `OPTION_INVALID` for what the file could not be read with. */
  add(principal: string, scopes: readonly Scope[], expiresAt?: number): { token: string; kept: KeptToken } {
    const { token, sha256 } = newToken();
    const id = `tok_${sha256.slice(0, 8)}`;
    const kept: KeptToken = {
      id,
      sha256,
      principal: { id: principal },
      scopes: [...scopes],
      createdAt: Date.now(),
      ...defined({ expiresAt }),
    };
    checkKept("token", kept);
    this.#change((all) => [...all, kept]);
    return { token, kept };
  }

  /** By its id or the name it was made for. Returns how many were revoked. */
  revoke(idOrName: string): number {
    if (!this.exists) return 0;
    let revoked = 0;
    this.#change((all) => {
      const left = all.filter(({ id, principal }) => id !== idOrName && principal.id !== idOrName);
      revoked = all.length - left.length;
      return revoked > 0 ? left : all;
    });
    return revoked;
  }

  /** Reads, changes and writes as one: what another process does meanwhile comes before or after. */
  #change(change: (all: readonly KeptToken[]) => readonly KeptToken[]): void {
    mkdirSync(dirname(this.path), { recursive: true });
    try {
      whileLocked(this.path, () => {
        const all = this.list();
        const changed = change(all);
        if (changed !== all) this.#write(changed);
      });
    } catch (error) {
      if (ToolrigError.isInstance(error)) throw error;
      throw this.#problem(`it cannot be changed: ${(error as Error).message}`);
    }
  }

  /** Whole or not at all, whenever the process ends. */
  #write(tokens: readonly KeptToken[]): void {
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

function checkKept(field: string, { createdAt, ...token }: KeptToken): void {
  tokenOptions.check(token, field);
  check.string(`${field}.id`, token.id);
  if (!Number.isFinite(createdAt))
    throw check.invalid(`${field}.createdAt`, "a time in epoch milliseconds", createdAt);
}
