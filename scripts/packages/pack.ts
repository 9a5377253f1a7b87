/** Packs the packages as they are published: what was built, without what only a clone can use. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { run } from "./run.ts";
import { type Manifest, type Package, packagesOf } from "./workspace.ts";

export interface Packed extends Package {
  /** The tarball. */
  file: string;
  /** Its files, by path. */
  files: readonly string[];
  /** Bytes, packed and unpacked. */
  size: number;
  unpackedSize: number;
}

/** The condition by which a clone runs its sources. Nothing published has them. */
const SOURCE = "@toolrig/source";

/**
 * Packs every package into a folder, in the order in which they may be published. With the address of the repository on the web,
 * manifests and READMEs lead there. Needs a build.
 */
export async function pack(root: string, into: string, address?: string): Promise<Packed[]> {
  const packages = packagesOf(root);
  const staged = packages.map((each) => stage(root, each, join(into, basename(each.folder)), address));
  const args = ["pack", ...staged, "--pack-destination", into, "--json", "--ignore-scripts"];
  const told = JSON.parse(await run("npm", args, { cwd: into })) as Told[];
  return packages.map((each) => {
    const { filename, files, size, unpackedSize } = told.find(({ name }) => name === each.manifest.name)!;
    return { ...each, file: join(into, filename), files: files.map(({ path }) => path), size, unpackedSize };
  });
}

/** The report of npm about a package that it packed. */
interface Told {
  name: string;
  filename: string;
  files: { path: string }[];
  size: number;
  unpackedSize: number;
}

/** Lays out what is published of a package. Throws when it is not built. */
function stage(root: string, { folder, manifest }: Package, into: string, address?: string): string {
  const from = join(root, folder);
  mkdirSync(into, { recursive: true });
  for (const each of manifest.files?.filter((name) => !name.startsWith("!")) ?? []) {
    if (!existsSync(join(from, each))) throw new Error(`${folder}/${each} is missing. Run npm run build.`);
    cpSync(join(from, each), join(into, each), {
      recursive: true,
      filter: (file) => !isLeftOver(from, relative(from, file)),
    });
  }
  cpSync(join(from, "LICENSE"), join(into, "LICENSE"));
  const readme = readFileSync(join(from, "README.md"), "utf8");
  const links =
    address === undefined ? readme : leadingTo(`${address}/blob/v${manifest.version}`, folder, readme);
  writeFileSync(join(into, "README.md"), links);
  writeFileSync(
    join(into, "package.json"),
    JSON.stringify(published(manifest, folder, address), undefined, 2),
  );
  return into;
}

/** Whether the source of a compiled file is gone: the compiler leaves it where it was. */
function isLeftOver(from: string, file: string): boolean {
  const [, compiled] = /^dist\/(.+?)(?:\.d\.ts|\.js)$/.exec(file) ?? [];
  return compiled !== undefined && !existsSync(join(from, "src", `${compiled}.ts`));
}

function published(manifest: Manifest, folder: string, address: string | undefined): object {
  const { devDependencies: _, exports = {}, ...rest } = manifest;
  const doors = Object.entries(exports).map(([path, { [SOURCE]: __, ...conditions }]) => [path, conditions]);
  return {
    ...rest,
    ...(address !== undefined && {
      homepage: `${address}/tree/main/${folder}#readme`,
      repository: { type: "git", url: `git+${address}.git`, directory: folder },
      bugs: `${address}/issues`,
    }),
    exports: Object.fromEntries(doors),
  };
}

/** Links into the repository, which are relative there, as links to the web. */
function leadingTo(address: string, folder: string, page: string): string {
  return page.replaceAll(
    /\]\((?!https?:|#)([^)\s]+)\)/g,
    (_, path: string) => `](${address}/${join(folder, path)})`,
  );
}
