import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const root = join(import.meta.dirname, "..");

/** The files that tests are made of, from the root: those that they import by a path, and so on. */
export function filesUsedBy(tests: readonly string[]): string[] {
  const seen = new Set<string>();
  const pending = [...tests];
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (seen.has(file) || !existsSync(file)) continue;
    seen.add(file);
    pending.push(...importsOf(file));
  }
  return [...seen].map((file) => relative(root, file).replaceAll("\\", "/"));
}

const IMPORT = /(?:from|import|import\()\s*"(\.{1,2}\/[^"]+\.ts)"/g;

function importsOf(file: string): string[] {
  // A proof is loaded by its name.
  if (file.endsWith("proofs/load-proof.ts"))
    return globSync("*.ts", { cwd: dirname(file) }).map((name) => join(dirname(file), name));
  const text = readFileSync(file, "utf8");
  return Array.from(text.matchAll(IMPORT), ([, path = ""]) => join(dirname(file), path));
}
