/** Writes docs/reference from what the packages declare; with `--check`, says what is out of date instead. Needs a build. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DOORS } from "../architecture/plan.ts";
import { fileOf, pageOf } from "./page.ts";
import { declarationsOf, exportedBy } from "./read.ts";

const FOLDER = "docs/reference";
const check = process.argv.includes("--check");
const pages = new Map(
  DOORS.map((door) => [fileOf(door), pageOf(door, exportedBy(declarationsOf(door.file)))] as const),
);
const index = DOORS.map((door) => `- [\`${door.name}\`](${fileOf(door)})`).join("\n");
pages.set(
  "README.md",
  `# Reference\n\nEvery name that a package gives out, a page for each door.\n\n${index}\n`,
);

mkdirSync(FOLDER, { recursive: true });
const stale: string[] = [];
for (const [name, text] of pages) {
  const file = join(FOLDER, name);
  if (existsSync(file) && readFileSync(file, "utf8") === text) continue;
  stale.push(file);
  if (!check) writeFileSync(file, text);
}
for (const name of readdirSync(FOLDER).filter((each) => !pages.has(each))) {
  stale.push(join(FOLDER, name));
  if (!check) rmSync(join(FOLDER, name));
}
if (check && stale.length > 0) {
  console.error(`Out of date: ${stale.join(", ")}. Run npm run reference.`);
  process.exitCode = 1;
} else console.log(`${pages.size} pages${stale.length > 0 ? `, ${stale.length} written` : ""}`);
