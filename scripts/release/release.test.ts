import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { manifestIn, packagesOf } from "../packages/workspace.ts";
import { checkVersion, currentVersion } from "./bump.ts";

const root = join(import.meta.dirname, "../..");
const current = currentVersion(root);
let clone: string;

beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), "toolrig-release-"));
  execFileSync("git", ["clone", "--quiet", "--depth", "1", `file://${root}`, clone]);
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@firm.example");
});
afterAll(() => rmSync(clone, { recursive: true, force: true }));

const git = (...args: string[]) => execFileSync("git", args, { cwd: clone, encoding: "utf8" }).trim();

async function release(...args: string[]): Promise<{ stdout: string; stderr: string; code?: number }> {
  const run = promisify(execFile)("node", [join(import.meta.dirname, "main.ts"), ...args], { cwd: clone });
  return run.catch((error) => error);
}

test("what cannot be released is refused, and nothing changes", async () => {
  expect((await release()).stderr).toContain("Use: npm run release -- X.Y.Z [--dry-run].");
  expect((await release("next")).stderr).toContain(
    'Expected a version such as 1.2.3 or 1.2.3-rc.1; got "next"',
  );
  expect((await release("0.0.1")).stderr).toContain(`0.0.1 comes before ${current}`);
  expect((await release("99.0.0", "--dry-runn")).code).toBe(1);
  writeFileSync(join(clone, "LICENSE"), "changed");
  expect((await release("99.0.0")).stderr).toContain("Commit or put away what is changed first:\nM LICENSE");
  git("checkout", "--quiet", "LICENSE");
  git("tag", "v98.0.0");
  expect((await release("98.0.0")).stderr).toContain("There is a tag v98.0.0 already.");
  expect((await release("99.0.0", "--dry-run")).stdout).toContain('Would commit these as "Release 99.0.0"');
  expect(git("status", "--porcelain")).toBe("");
  expect(git("tag", "--list", "v99.0.0")).toBe("");
});

test("a release has one version everywhere, a dated section and a tag", async () => {
  const { stdout } = await release("99.0.0");
  expect(stdout).toContain("git push --follow-tags");
  expect(git("log", "-1", "--format=%s")).toBe("Release 99.0.0");
  expect(git("rev-list", "-1", "v99.0.0")).toBe(git("rev-parse", "HEAD"));
  expect(git("status", "--porcelain")).toBe("");
  const names = new Set(packagesOf(clone).map(({ manifest }) => manifest.name));
  const { packages } = JSON.parse(readFileSync(join(clone, "package-lock.json"), "utf8"));
  for (const folder of [...packagesOf(clone).map((each) => each.folder), "apps/console"]) {
    const manifest = manifestIn(join(clone, folder));
    const { dependencies = {}, devDependencies = {} } = manifest;
    const ours = Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) => names.has(name));
    expect([manifest.version, ...ours.map(([, range]) => range)].filter((each) => each !== "99.0.0")).toEqual(
      [],
    );
    const locked = packages[folder];
    expect(locked.version).toBe("99.0.0");
    expect({ ...locked.dependencies, ...locked.devDependencies }).toEqual({
      ...dependencies,
      ...devDependencies,
    });
  }
  const changelog = readFileSync(join(clone, "CHANGELOG.md"), "utf8");
  expect(changelog).toMatch(/^## \[Unreleased\]\n\n## \[99\.0\.0\] - \d{4}-\d\d-\d\d\n\n/m);
  expect((await release("99.0.1")).stderr).toContain("nothing under [Unreleased]");
});

test.each([
  ["1.2.3", "1.2.3"],
  ["1.10.0", "1.9.9"],
  ["2.0.0", "2.0.0-rc.1"],
  ["2.0.0-rc.10", "2.0.0-rc.9"],
])("%s may follow %s", (version, before) => {
  expect(() => checkVersion(version, before)).not.toThrow();
});

test.each([
  ["1.2.2", "1.2.3"],
  ["2.0.0-rc.1", "2.0.0"],
  ["v1.2.3", "1.2.3"],
  ["1.2", "1.1.0"],
])("%s may not follow %s", (version, before) => {
  expect(() => checkVersion(version, before)).toThrow();
});
