import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { privateParts } from "./private-parts.ts";

const PACKAGES = join(import.meta.dirname, "../../packages");

test("members with an underscore, overrides of them and files that are not exported are private parts", () => {
  expect(privateParts('server._wireCodec(); client?._transport; wire["_closed"];')).toEqual([
    "_wireCodec",
    "_transport",
    "_closed",
  ]);
  expect(privateParts("protected override _wrapHandler(method: string) {}")).toEqual(["_wrapHandler"]);
  expect(privateParts('import { x } from "@some/client/lib/protocol.js";')).toEqual([
    "@some/client/lib/protocol.js",
  ]);
  expect(privateParts('import { x } from "../dist/own.js"; request._meta;\n// server._wireCodec')).toEqual(
    [],
  );
});

test("no published package uses a private part of a dependency", () => {
  const sources = readdirSync(PACKAGES).flatMap((name) =>
    readdirSync(join(PACKAGES, name, "src"), { recursive: true, encoding: "utf8" })
      .filter((file) => /(?<!\.test|\.test-d)\.tsx?$/.test(file))
      .map((file) => join(name, "src", file)),
  );
  expect(sources.length).toBeGreaterThan(500);
  const used = sources.flatMap((file) =>
    privateParts(readFileSync(join(PACKAGES, file), "utf8")).map((name) => `packages/${file}: ${name}`),
  );
  expect(used).toEqual([]);
});
