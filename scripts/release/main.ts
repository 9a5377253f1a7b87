/**
 * `npm run release -- X.Y.Z [--dry-run]`: gives all packages the version and the changelog its section, commits that and tags it.
 * Nothing leaves the machine: pushing the tag is what publishes. With `--dry-run` it says what it would do.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bumped, checkVersion, currentVersion } from "./bump.ts";

const USE = "Use: npm run release -- X.Y.Z [--dry-run].";
const root = process.cwd();

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { "dry-run": { type: "boolean", default: false } },
  });
  const [version, ...more] = positionals;
  if (version === undefined || more.length > 0) throw new Error(USE);
  release(version, values["dry-run"]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function release(version: string, dryRun: boolean): void {
  const current = currentVersion(root);
  const tag = `v${version}`;
  checkVersion(version, current);
  if (git("tag", "--list", tag) !== "") throw new Error(`There is a tag ${tag} already.`);
  const dirty = git("status", "--porcelain");
  if (dirty !== "") throw new Error(`Commit or put away what is changed first:\n${dirty}`);
  const date = new Date().toISOString().slice(0, 10);
  const files = bumped(root, version, date);
  console.log(`${current} → ${version}, ${date}`);
  for (const file of files.keys()) console.log(`  ${file}`);
  if (dryRun) {
    console.log(`Would commit these as "Release ${version}" and tag ${tag}. Nothing was changed.`);
    return;
  }
  for (const [file, text] of files) writeFileSync(join(root, file), text);
  git("commit", "--all", "--quiet", "--message", `Release ${version}`);
  git("tag", "--annotate", tag, "--message", `Toolrig ${version}`);
  console.log(`Committed, and tagged ${tag}. To publish it: git push --follow-tags`);
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
}
