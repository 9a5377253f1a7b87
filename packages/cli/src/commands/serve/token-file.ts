import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { ToolrigError } from "@toolrig/core";
import type { ServerToken } from "@toolrig/server";

const LEAST = 16;

/**
 * Tokens of a file, one a line: the token, or whose it is and the token. What is kept of them is their hash. Throws
 * `CONFIG_INVALID` for a file that others may read, and for tokens that could be guessed.
 */
export function readTokens(file: string): readonly ServerToken[] {
  const problem = (what: string) => new ToolrigError("CONFIG_INVALID", `${file}: ${what}`);
  let text: string;
  try {
    if (process.platform !== "win32" && (statSync(file).mode & 0o077) !== 0)
      throw problem(`others may read it; run chmod 600 ${file}.`);
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (ToolrigError.isInstance(error)) throw error;
    throw problem(`it cannot be read: ${(error as Error).message}`);
  }
  const lines = text.split("\n").map((line) => line.trim());
  const tokens = lines
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line, index) => {
      const words = line.split(/\s+/);
      const token = words.at(-1) ?? "";
      if (words.length > 2) throw problem(`token ${index + 1} must be TOKEN or NAME TOKEN.`);
      if (token.length < LEAST) throw problem(`token ${index + 1} must have at least ${LEAST} characters.`);
      const sha256 = createHash("sha256").update(token).digest("hex");
      return words.length === 2 ? { sha256, principal: { id: words[0] ?? "" } } : { sha256 };
    });
  if (tokens.length === 0) throw problem("there is no token in it.");
  return tokens;
}
