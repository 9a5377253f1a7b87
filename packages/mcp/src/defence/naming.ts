import { createHash } from "node:crypto";

/** What every vendor of models takes as a name. */
const MAX_NAME = 64;
const MAX_PREFIX = 32;
/** A name that only looks as if it had been shortened here is treated as if it had to be: no tool can pose as another. */
const SHORTENED = /_[0-9a-f]{8}$/;

/**
 * What a server's tool is called here: `<connection>__<tool>`, of ASCII letters, digits, `_` and `-`, at most 64 characters. A name
 * that had to be changed ends in a hash of the whole one. Depends on the two names alone, never on what else is listed.
 */
export function toolName(connection: string, own: string): string {
  const prefix = connectionPrefix(connection);
  const plain = own.replaceAll(/[^A-Za-z0-9_-]/g, "_");
  const room = MAX_NAME - prefix.length;
  if (plain === own && own.length <= room && !SHORTENED.test(own)) return prefix + own;
  return `${prefix}${plain.slice(0, room - 9)}_${shortHash(own)}`;
}

/** With which all names of a connection begin, and those of no other. */
export function connectionPrefix(connection: string): string {
  return `${prefixOf(connection)}__`;
}

/** No prefix is the beginning of another: what stands before the first `__` is the connection. */
function prefixOf(connection: string): string {
  const plain = connection.replaceAll(/[^A-Za-z0-9_-]/g, "_");
  const isClear = !plain.includes("__") && !plain.endsWith("_") && /^[A-Za-z]/.test(plain);
  if (plain === connection && isClear && plain.length <= MAX_PREFIX) return plain;
  const readable = plain
    .replaceAll(/_+/g, "_")
    .replace(/^[^A-Za-z]+/, "m")
    .slice(0, MAX_PREFIX - 9);
  return `${readable.replace(/_$/, "")}_${shortHash(connection)}`;
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
