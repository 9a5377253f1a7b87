/** Finds problems that keep a package from being published: in its manifest and in its packed files. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Packed } from "./pack.ts";
import type { Manifest } from "./workspace.ts";

/** Each as a sentence; none is good. */
export function problemsOf(root: string, packed: Packed): string[] {
  return [
    ...manifestProblems(packed.manifest),
    ...pinProblems(packed.manifest),
    ...paperProblems(root, packed),
    ...contentProblems(packed),
  ];
}

function manifestProblems(manifest: Manifest): string[] {
  const { version, description, keywords, license, type, sideEffects, engines, publishConfig } = manifest;
  const rules: readonly [string, boolean][] = [
    ["has no description", (description?.length ?? 0) < 20],
    ["has no keywords", (keywords?.length ?? 0) === 0],
    ["is not under MIT", license !== "MIT"],
    ["is not of modules", type !== "module"],
    ["does not say which files have side effects", sideEffects === undefined],
    ["does not say which Node it needs", !/^>=\d+\.\d+$/.test(engines?.node ?? "")],
    ["is not published for everybody", publishConfig?.access !== "public"],
    ["is published without provenance", publishConfig?.provenance !== true],
    ["is private", manifest.private === true],
  ];
  const siblings = Object.entries(manifest.dependencies ?? {}).filter(([name]) =>
    name.startsWith("@toolrig/"),
  );
  return [
    ...rules.filter(([, broken]) => broken).map(([problem]) => problem),
    ...siblings
      .filter(([, range]) => range !== version)
      .map(([name, range]) => `depends on ${name} ${range} and is ${version} itself`),
  ];
}

/**
 * An exact version of somebody else's package keeps its fixes from users, and installs it twice beside any other range. Packages of
 * this repository are released together, so they name each other's exact version.
 */
function pinProblems({ dependencies, peerDependencies }: Manifest): string[] {
  return Object.entries({ ...dependencies, ...peerDependencies })
    .filter(([name, range]) => !name.startsWith("@toolrig/") && !/^(?:\^|>=)\d/.test(range))
    .map(([name, range]) => `depends on ${name} ${range}, which is no range such as ^1.2.3`);
}

/** npm packs what lies beside package.json, and nothing from the root of the repository. */
function paperProblems(root: string, { folder }: Packed): string[] {
  const read = (file: string) => (existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : "");
  const readme = read(`${folder}/README.md`);
  return [
    ...(read(`${folder}/LICENSE`) === read("LICENSE") ? [] : ["has no copy of LICENSE"]),
    ...(readme.includes("npm install ") ? [] : ["has a README that does not say how to install it"]),
    ...(/^```ts$/m.test(readme) ? [] : ["has a README without a program"]),
    ...(readme.includes("](../../docs/") ? [] : ["has a README that leads to no page of the docs"]),
  ];
}

const PAPERS = ["LICENSE", "README.md", "package.json"];
/** Files that a package may have beside compiled ones. */
const EXTRAS: Readonly<Record<string, RegExp>> = {
  toolrig: /^bin\/toolrig\.cjs$/,
  "@toolrig/nats": /^config\/\w+\.conf$/,
  "@toolrig/server": /^console\//,
};

function contentProblems({ manifest, files }: Packed): string[] {
  const extra = EXTRAS[manifest.name];
  const belongs = (file: string) =>
    PAPERS.includes(file) || /^dist\/.+(?:\.js|\.d\.ts)$/.test(file) || extra?.test(file) === true;
  const strays = files.filter((file) => !belongs(file) || /\.test(?:-d)?\./.test(file));
  const promised = [
    ...PAPERS,
    ...Object.values(manifest.bin ?? {}),
    ...Object.values(manifest.exports ?? {}).flatMap((conditions) => [conditions.types, conditions.default]),
    ...(manifest.name === "@toolrig/server" ? ["console/index.html"] : []),
  ].map((file = "") => file.replace(/^\.\//, ""));
  return [
    ...strays.map((file) => `has ${file}, which does not belong there`),
    ...promised
      .filter((file) => !files.includes(file))
      .map((file) => `lacks ${file || "a file that it exports"}`),
  ];
}
