import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alsoNamed, placeIn } from "./also-named.ts";
import { pageOf } from "./page.ts";
import { exportedBy } from "./read.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "toolrig-reference-"));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write("index.d.ts", `export { open, Store } from "./store.js";\nexport type { Row } from "./row.js";\n`);
  write(
    "store.d.ts",
    `import type { Row } from "./row.ts";
    import { Base } from "./base.ts";
    import type { Outside } from "elsewhere";
    interface Options { path: string; limits?: Limits }
    interface Limits { rows: number }
    export declare function open(options: Options): import("./late.ts").Late;
    export declare class Store extends Base<Row> { outside: Outside; #private; }
    interface Nobody { asks: string }`,
  );
  write("row.d.ts", "export interface Row { id: string }");
  write("base.d.ts", "export declare class Base<T> { all(): Promise<T[]>; }");
  write("late.d.ts", "export type Late = Promise<void>;");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("options, results and bases that no door gives out are on the page of whoever names them", () => {
  const exported = exportedBy(join(folder, "index.d.ts"));
  const named = alsoNamed(exported, new Set(exported.map(placeIn)));
  expect(named.map(({ name }) => name)).toEqual(["Base", "Late", "Limits", "Options"]);
  const page = pageOf({ name: "@toolrig/small", file: "", most: 9 }, exported, named);
  for (const text of ["all(): Promise<T[]>", "limits?: Limits", "rows: number", "type Late = Promise<void>"])
    expect(page).toContain(text);
  expect(page).not.toContain("Nobody");
});
