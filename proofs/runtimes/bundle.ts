import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";

const ESBUILD = join(import.meta.dirname, "tools/node_modules/.bin/esbuild");

/** Bundles a program into one minified file, as users of esbuild would. Throws what esbuild reports. */
export async function bundled(
  program: string,
  format: "esm" | "cjs",
  folder: string,
): Promise<{ file: string; bytes: number }> {
  const file = join(folder, format === "esm" ? "program.mjs" : "program.cjs");
  const target = program.includes("worker")
    ? ["--platform=neutral", "--main-fields=module,main", "--conditions=@toolrig/source,import"]
    : ["--platform=node", "--conditions=@toolrig/source"];
  const flags = ["--bundle", "--minify", "--log-level=error", `--format=${format}`, `--outfile=${file}`];
  execFileSync(ESBUILD, [program, ...flags, ...target], { stdio: ["ignore", "ignore", "pipe"] });
  return { file, bytes: statSync(file).size };
}
