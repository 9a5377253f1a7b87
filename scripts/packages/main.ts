/**
 * Checks what would be published: no dead code or undeclared dependency; in each package what belongs there and nothing else,
 * exports that resolve and types that match, also for bundlers. Needs a build.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pack } from "./pack.ts";
import { problemsOf } from "./problems.ts";

const root = join(import.meta.dirname, "../..");
const scratch = mkdtempSync(join(tmpdir(), "toolrig-packages-"));
let failed = !passes("knip", []);
try {
  for (const packed of await pack(root, scratch)) {
    const { manifest, file, files, size, unpackedSize } = packed;
    const sizes = `${files.length} files, ${kilobytes(size)} packed, ${kilobytes(unpackedSize)} unpacked`;
    console.log(`\n${manifest.name} ${manifest.version}: ${sizes}`);
    const problems = problemsOf(root, packed);
    for (const problem of problems) console.error(`${packed.folder} ${problem}.`);
    const published = passes("publint", ["--strict", file]);
    const typed = passes("attw", [file, "--profile", "esm-only", "--format", "ascii"]);
    failed ||= problems.length > 0 || !published || !typed;
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
if (failed) process.exitCode = 1;

/** Only what fails is worth reading. */
function passes(command: string, args: string[]): boolean {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: "utf8" });
  console.log(`${status === 0 ? "passes" : "FAILS "}  ${command}`);
  if (status !== 0) console.error(`${stdout}${stderr}`);
  return status === 0;
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KB`;
}
