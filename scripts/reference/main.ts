/** Writes docs/reference from what the packages declare; with `--check`, says what is out of date instead. Needs a build. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DOORS } from "../architecture/plan.ts";
import { alsoNamed, placeIn } from "./also-named.ts";
import { fileOf, pageOf } from "./page.ts";
import { declarationsOf, exportedBy } from "./read.ts";

const FOLDER = "docs/reference";
const ABOUT = `Every name that a package gives out, a page for each door, with all that these name: whatever a program can depend on. A change
of any of it is a change here, for whoever reviews it; a test fails while a page is out of date.`;
const check = process.argv.includes("--check");
const doors = DOORS.map((door) => ({ door, exported: exportedBy(declarationsOf(door.file)) }));
const given = new Set(doors.flatMap(({ exported }) => exported.map(placeIn)));
const pages = new Map(
  doors.map(({ door, exported }) => {
    const own = exported.filter((each) => each.door === undefined);
    return [fileOf(door), pageOf(door, exported, alsoNamed(own, given))] as const;
  }),
);
const index = DOORS.map((door) => `- [\`${door.name}\`](${fileOf(door)})`).join("\n");
pages.set("README.md", `# Reference\n\n${ABOUT}\n\n${index}\n`);

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
