import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pack } from "./pack.ts";
import { problemsOf } from "./problems.ts";
import { packagesOf } from "./workspace.ts";

const MANIFEST = {
  name: "@toolrig/small",
  version: "1.2.3",
  description: "A package with everything that one needs",
  keywords: ["small"],
  license: "MIT",
  type: "module",
  sideEffects: false,
  engines: { node: ">=22.18" },
  files: ["dist"],
  exports: {
    ".": { "@toolrig/source": "./src/index.ts", types: "./dist/index.d.ts", default: "./dist/index.js" },
  },
  publishConfig: { access: "public", provenance: true },
  devDependencies: { zod: "4.6.7" },
};
const README =
  "# small\n\n```sh\nnpm install @toolrig/small\n```\n\n```ts\n```\n\n[Docs](../../docs/small.md)\n";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "toolrig-pack-"));
  write("LICENSE", "MIT");
  write("packages/small/LICENSE", "MIT");
  write("packages/small/README.md", README);
  write("packages/small/package.json", JSON.stringify(MANIFEST));
  write("packages/small/src/index.ts", "export const small = 1;\n");
  write("packages/small/dist/index.js", "export const small = 1;\n");
  write("packages/small/dist/index.d.ts", "export declare const small = 1;\n");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

async function problems(): Promise<string[]> {
  const [packed] = await pack(root, join(root, "packed"));
  return problemsOf(root, packed!);
}

test("has what was built of a package, and nothing that only a clone can use", async () => {
  write("packages/small/dist/renamed-since.js", "");
  const [packed] = await pack(root, join(root, "packed"), "https://code.example/toolrig");
  expect(packed!.files.toSorted()).toEqual([
    "LICENSE",
    "README.md",
    "dist/index.d.ts",
    "dist/index.js",
    "package.json",
  ]);
  const manifest = JSON.parse(readFileSync(join(root, "packed/small/package.json"), "utf8"));
  expect(manifest).toMatchObject({
    exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
    repository: { url: "git+https://code.example/toolrig.git", directory: "packages/small" },
    bugs: "https://code.example/toolrig/issues",
  });
  expect(manifest).not.toHaveProperty("devDependencies");
  expect(manifest.exports["."]).not.toHaveProperty("@toolrig/source");
  expect(readFileSync(join(root, "packed/small/README.md"), "utf8")).toContain(
    "[Docs](https://code.example/toolrig/blob/v1.2.3/docs/small.md)",
  );
  expect(problemsOf(root, packed!)).toEqual([]);
});

test("a file that is exported and missing, a stray one and a test are problems", async () => {
  rmSync(join(root, "packages/small/dist/index.d.ts"));
  write("packages/small/dist/notes.txt", "");
  write("packages/small/src/index.test.ts", "");
  write("packages/small/dist/index.test.js", "");
  expect(await problems()).toEqual([
    "has dist/index.test.js, which does not belong there",
    "has dist/notes.txt, which does not belong there",
    "lacks dist/index.d.ts",
  ]);
});

test("a manifest or README that leaves something out is a problem", async () => {
  const { keywords: _, publishConfig: __, ...rest } = MANIFEST;
  write(
    "packages/small/package.json",
    JSON.stringify({ ...rest, dependencies: { "@toolrig/core": "1.2.2" } }),
  );
  write("packages/small/README.md", "# small\n");
  write("packages/small/LICENSE", "GPL");
  expect(await problems()).toEqual([
    "has no keywords",
    "is not published for everybody",
    "is published without provenance",
    "depends on @toolrig/core 1.2.2 and is 1.2.3 itself",
    "has no copy of LICENSE",
    "has a README that does not say how to install it",
    "has a README without a program",
    "has a README that leads to no page of the docs",
  ]);
});

test("an exact version of somebody else's package is a problem", async () => {
  const dependencies = { "@toolrig/core": "1.2.3", ajv: "8.20.0", hono: "^4.13.17" };
  const peerDependencies = { ai: "7.0.0", zod: ">=4.0.0" };
  write("packages/small/package.json", JSON.stringify({ ...MANIFEST, dependencies, peerDependencies }));
  expect(await problems()).toEqual([
    "depends on ajv 8.20.0, which is no range such as ^1.2.3",
    "depends on ai 7.0.0, which is no range such as ^1.2.3",
  ]);
});

test("what is not built is not packed", async () => {
  rmSync(join(root, "packages/small/dist"), { recursive: true });
  await expect(problems()).rejects.toThrow("packages/small/dist is missing. Run npm run build.");
});

test("each package comes behind those that it stands on", () => {
  const manifests = packagesOf(join(import.meta.dirname, "../..")).map(({ manifest }) => manifest);
  const names = manifests.map(({ name }) => name);
  expect(names.at(-1)).toBe("toolrig");
  for (const [place, { name, dependencies = {} }] of manifests.entries()) {
    const siblings = Object.keys(dependencies).filter((each) => names.includes(each));
    expect([name, ...siblings.filter((each) => names.indexOf(each) > place)]).toEqual([name]);
  }
});
