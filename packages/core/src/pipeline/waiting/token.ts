import { sha256 } from "../../sha256.ts";

/** Something that nobody guesses. */
export function newToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What is kept of a token. It is good for one execution of a tool as it was defined, and for nothing else. */
export function tokenHash(token: string, executionId: string, definitionHash: string): string {
  return sha256(JSON.stringify([executionId, definitionHash, token]));
}

/** Takes as long for a token that is nearly right as for any other. */
export function isAmong(hash: string, hashes: readonly string[]): boolean {
  let found = false;
  for (const each of hashes) {
    let difference = each.length ^ hash.length;
    for (let index = 0; index < hash.length; index++)
      difference |= each.charCodeAt(index) ^ hash.charCodeAt(index);
    if (difference === 0) found = true;
  }
  return found;
}
