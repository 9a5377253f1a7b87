import { createHash } from "node:crypto";
import { ToolrigError } from "@toolrig/core";

/** Subjects, consumers and keys. Whatever a tool or a run is called, its name on the wire is safe and its own. */

export const SUBJECT = {
  /** Calls. Captured by the call stream. */
  execute: "tool.execute",
  /** Final journal entries, republished by the journal's bucket. */
  result: "tool.result",
  update: "tool.update",
  cancel: "tool.cancel",
  /** Asks a worker what it runs. */
  worker: "tool.worker",
  list: "tool.list",
  deadLetter: "tool.dlq",
} as const;

/** One subject token from any text: what a token cannot hold is escaped, so that two names never share one. */
export function token(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => {
    const character = String.fromCharCode(byte);
    return byte < 128 && /[A-Za-z0-9_-]/.test(character)
      ? character
      : `=${byte.toString(16).padStart(2, "0")}`;
  }).join("");
}

/** The subject of calls of a tool: of any version, or of one major version. */
export function executeSubject(name: string, major?: number): string {
  const base = `${SUBJECT.execute}.${token(name)}`;
  return major === undefined ? base : `${base}.v${major}`;
}

/** The durable consumer of a tool's calls: `file_read` → `tool-exec-file-read`. */
export function consumerName(name: string, major?: number, suffix = ""): string {
  const version = major === undefined ? "" : `-v${major}`;
  return `tool-exec-${readable(name)}${version}${suffix === "" ? "" : `-${readable(suffix)}`}`;
}

/**
 * Consumer names for a set of tools. Dots, underscores and dashes look alike after sanitising; where two tools would
 * share a name, both get a hash of their own.
 */
export function consumerNames(names: readonly string[]): (name: string) => string {
  const counts = new Map<string, number>();
  for (const name of new Set(names)) counts.set(readable(name), (counts.get(readable(name)) ?? 0) + 1);
  return (name) => {
    const clashes = (counts.get(readable(name)) ?? 0) > 1 || !/^[A-Za-z0-9._-]+$/.test(name);
    return clashes ? `${name}-${shortHash(name)}` : name;
  };
}

function readable(text: string): string {
  return text.replace(/[^A-Za-z0-9-]/g, "-").slice(0, 64);
}

export function shortHash(text: string): string {
  return createHash("sha256")
    .update(text)
    .digest("base64url")
    .replace(/[^A-Za-z0-9]/g, "")
    .slice(0, 8);
}

/**
 * The journal key of an execution, which is also the tail of its result's subject. Ids made here hold one dot, after
 * the part that their process shares; other ids become one token.
 */
export function keyOf(executionId: string): string {
  if (executionId === "") throw new ToolrigError("OPTION_INVALID", "An execution id must not be empty.");
  return /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/.test(executionId) ? executionId : `id.${token(executionId)}`;
}

/** The first token of a key: one subscription covers all executions that share it. */
export function keyPrefix(key: string): string {
  return key.slice(0, key.indexOf("."));
}
