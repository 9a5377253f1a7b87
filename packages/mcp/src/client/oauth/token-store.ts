import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { StoredOAuthClientInformation, StoredOAuthTokens } from "@modelcontextprotocol/client";
import { ToolrigError } from "@toolrig/core";
import { defined, messageOf, newId } from "@toolrig/core/kit";

/** What is kept for one principal at one connection. Each authorization server has its own. */
export interface Credentials {
  clients: Record<string, StoredOAuthClientInformation>;
  tokens: Record<string, StoredOAuthTokens>;
  /** The authorization server whose tokens came last. */
  issuer?: string;
}

export interface CredentialOwner {
  principal: string;
  connection: string;
  /** Tokens of one address are never shown to another, whatever the connection is pointed at later. */
  url: string;
}

const NOBODY_ELSE = 0o600;

/**
 * Tokens and registrations, by principal, connection and address. In a file that only its owner may read, or in memory. The file
 * is read whenever something is asked of it: several processes may use it.
 */
export class TokenStore {
  readonly #path: string | undefined;
  #kept: Record<string, Credentials> = {};

  constructor(path?: string) {
    this.#path = path;
  }

  get(owner: CredentialOwner): Credentials {
    const { clients = {}, tokens = {}, issuer } = this.#read()[keyOf(owner)] ?? {};
    return { clients: { ...clients }, tokens: { ...tokens }, ...defined({ issuer }) };
  }

  set(owner: CredentialOwner, credentials: Credentials): void {
    this.#write({ ...this.#read(), [keyOf(owner)]: credentials });
  }

  #read(): Readonly<Record<string, Partial<Credentials>>> {
    if (this.#path === undefined) return this.#kept;
    try {
      const others = statSync(this.#path).mode & 0o077;
      if (process.platform !== "win32" && others !== 0) throw new Error("others may read it; chmod 600 it");
      return JSON.parse(readFileSync(this.#path, "utf8")) as Record<string, Partial<Credentials>>;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
      const message = `The tokens in ${this.#path} cannot be used: ${messageOf(error)}`;
      throw new ToolrigError("STORE_FAILED", message, { cause: error });
    }
  }

  /** At once or not at all: who reads meanwhile sees what was there before. */
  #write(all: Readonly<Record<string, Partial<Credentials>>>): void {
    if (this.#path === undefined) {
      this.#kept = { ...all } as Record<string, Credentials>;
      return;
    }
    const next = `${this.#path}.${newId("new")}`;
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    writeFileSync(next, JSON.stringify(all), { mode: NOBODY_ELSE, flag: "wx" });
    renameSync(next, this.#path);
  }
}

const keyOf = ({ principal, connection, url }: CredentialOwner) =>
  JSON.stringify([principal, connection, url]);
