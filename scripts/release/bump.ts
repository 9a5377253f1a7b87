/** Changes made by a release: the version in every manifest, ranges of packages on each other, the lock and the changelog. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packagesOf } from "../packages/workspace.ts";

/** A semantic version; with a dash it comes before the one without. */
const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?$/;
const KINDS = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

/** The version that all packages have. Throws when they differ: they are released together. */
export function currentVersion(root: string): string {
  const versions = new Set(packagesOf(root).map(({ manifest }) => manifest.version));
  const [version] = versions;
  if (version === undefined || versions.size > 1)
    throw new Error(`Packages are released together, and have the versions ${[...versions].join(", ")}.`);
  return version;
}

/** Throws for what is no version, or comes before the current one. The current one itself may be what nobody has released yet. */
export function checkVersion(version: string, current: string): void {
  if (!VERSION.test(version))
    throw new Error(`Expected a version such as 1.2.3 or 1.2.3-rc.1; got "${version}".`);
  if (compare(version, current) < 0)
    throw new Error(`${version} comes before ${current}, which is the current one.`);
}

export function isPrerelease(version: string): boolean {
  return version.includes("-");
}

/** Every file that a release changes, with its new text. */
export function bumped(root: string, version: string, date: string): Map<string, string> {
  const names = new Set(packagesOf(root).map(({ manifest }) => manifest.name));
  const current = currentVersion(root);
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  const files = new Map<string, string>();
  for (const file of globSync(["packages/*/package.json", "apps/*/package.json"], { cwd: root }).sort())
    files.set(
      file,
      changed(read(file), (manifest) => bumpManifest(manifest, { names, current, version })),
    );
  const lock = changed(read("package-lock.json"), ({ packages }) => {
    for (const [path, entry] of Object.entries(packages as Record<string, Json>))
      if (/^(?:packages|apps)\/[^/]+$/.test(path)) bumpManifest(entry, { names, current, version });
  });
  files.set("package-lock.json", lock);
  files.set("CHANGELOG.md", withSection(read("CHANGELOG.md"), version, date));
  for (const [file, text] of files) if (text === read(file)) files.delete(file);
  return files;
}

type Json = Record<string, unknown>;

function changed(text: string, change: (json: Json) => void): string {
  const json = JSON.parse(text) as Json;
  change(json);
  return `${JSON.stringify(json, undefined, 2)}\n`;
}

function bumpManifest(
  manifest: Json,
  { names, current, version }: { names: ReadonlySet<string>; current: string; version: string },
): void {
  if (manifest.version === current) manifest.version = version;
  for (const kind of KINDS) {
    const ranges = (manifest[kind] ?? {}) as Record<string, string>;
    for (const [name, range] of Object.entries(ranges))
      if (names.has(name)) ranges[name] = range.replace(current, version);
  }
}

/** Turns the unreleased section into that of the version. */
function withSection(changelog: string, version: string, date: string): string {
  const [, head = "", news = "", rest = ""] =
    /^([\s\S]*?^## \[Unreleased\]\n)([\s\S]*?)(^## [\s\S]*)?$(?![\s\S])/m.exec(changelog) ?? [];
  if (!/^- /m.test(news))
    throw new Error("CHANGELOG.md has nothing under [Unreleased]: there is nothing to release.");
  return `${head}\n## [${version}] - ${date}\n${news}${rest}`;
}

function compare(a: string, b: string): number {
  const [left, right] = [a, b].map((each) => VERSION.exec(each)?.slice(1) ?? []);
  for (const at of [0, 1, 2]) {
    const difference = Number(left?.[at]) - Number(right?.[at]);
    if (difference !== 0) return difference;
  }
  const [before, after] = [left?.[3], right?.[3]];
  if (before === after) return 0;
  if (before === undefined) return 1;
  return after === undefined ? -1 : before.localeCompare(after, "en", { numeric: true });
}
