import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** As much of a package.json as is looked at. */
export interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  description?: string;
  keywords?: readonly string[];
  license?: string;
  type?: string;
  sideEffects?: boolean | readonly string[];
  engines?: { node?: string };
  bin?: Readonly<Record<string, string>>;
  files?: readonly string[];
  exports?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  publishConfig?: { access?: string; provenance?: boolean };
  dependencies?: Readonly<Record<string, string>>;
  devDependencies?: Readonly<Record<string, string>>;
  peerDependencies?: Readonly<Record<string, string>>;
}

export interface Package {
  /** From the root: "packages/core". */
  folder: string;
  manifest: Manifest;
}

/** The packages that are published, each behind those that it stands on. */
export function packagesOf(root: string): Package[] {
  const all = readdirSync(join(root, "packages"))
    .sort()
    .map((name) => ({ folder: `packages/${name}`, manifest: manifestIn(join(root, "packages", name)) }));
  const ordered: Package[] = [];
  const place = (each: Package) => {
    if (ordered.includes(each)) return;
    for (const other of all) if (dependsOn(each, other)) place(other);
    ordered.push(each);
  };
  all.forEach(place);
  return ordered;
}

export function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

/** Entry points that people import: "@toolrig/core", "@toolrig/core/kit". */
export function doorsOf({ name, exports = {} }: Manifest): string[] {
  return Object.keys(exports).map((path) => name + path.slice(1));
}

function dependsOn({ manifest }: Package, other: Package): boolean {
  return manifest.dependencies?.[other.manifest.name] !== undefined;
}
