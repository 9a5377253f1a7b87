import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { ToolrigError } from "@toolrig/core";
import { messageOf } from "@toolrig/core/kit";

/**
 * The seed of an NKey, from a file that nobody else may read. What the file holds is in no error. Throws `CONFIG_INVALID`.
 */
export function readSeedFile(path: string): string {
  const file = opened(path);
  try {
    const { mode } = fstatSync(file);
    if (process.platform !== "win32" && (mode & 0o077) !== 0)
      throw unfit(path, `others may use it (mode ${(mode & 0o777).toString(8)}). Run: chmod 600 ${path}`);
    // As "nk" and "toolrig fleet config" write it, with or without a line's end.
    const seed = readFileSync(file, "utf8").trim();
    if (/^S[A-Z2-7]{57}$/.test(seed)) return seed;
    throw unfit(
      path,
      'it holds no seed. It must hold one line, SU…, as "toolrig fleet config --out FOLDER" writes it',
    );
  } finally {
    closeSync(file);
  }
}

function opened(path: string): number {
  try {
    return openSync(path, "r");
  } catch (error) {
    throw unfit(path, messageOf(error));
  }
}

function unfit(path: string, why: string): ToolrigError {
  return new ToolrigError("CONFIG_INVALID", `The seed of ${path} is not used: ${why}`);
}
