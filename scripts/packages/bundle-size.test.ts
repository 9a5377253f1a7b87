import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundleSizeOf } from "./bundle-size.ts";

const ROOT = join(import.meta.dirname, "../..");
const CLAIM = /at most (\d+) KB minified and (\d+) KB gzipped/;

test.each(["json", "extract"])("the README of %s states the size of its bundle", async (name) => {
  const readme = readFileSync(join(ROOT, "packages", name, "README.md"), "utf8");
  const [, minified, gzipped] = CLAIM.exec(readme) ?? [];
  const size = await bundleSizeOf(join(ROOT, "packages", name, "src/index.ts"));
  console.log(`${name}: ${size.minified} bytes minified, ${size.gzipped} gzipped`);
  for (const [claimed, measured] of [
    [minified, size.minified],
    [gzipped, size.gzipped],
  ] as const) {
    // A limit far above the size would be true and say nothing.
    expect(measured / 1000).toBeLessThanOrEqual(Number(claimed));
    expect(measured / 1000).toBeGreaterThan(Number(claimed) * 0.9);
  }
});
