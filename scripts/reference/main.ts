/** Writes docs/reference from the declarations of the built packages. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DOORS } from "../architecture/plan.ts";
import { alsoNamed, placeIn } from "./also-named.ts";
import { optionsPage } from "./options-page.ts";
import { fileOf, pageOf } from "./page.ts";
import { declarationsOf, exportedBy } from "./read.ts";

const FOLDER = "docs/reference";
const ABOUT = `Every exported name, one page per entry point, with the types that these names refer to. Generated from types and comments.`;
const doors = DOORS.map((door) => ({ door, exported: exportedBy(declarationsOf(door.file)) }));
const given = new Set(doors.flatMap(({ exported }) => exported.map(placeIn)));
const pages = new Map(
  doors.map(({ door, exported }) => {
    const own = exported.filter((each) => each.door === undefined);
    return [fileOf(door), pageOf(door, exported, alsoNamed(own, given))] as const;
  }),
);
const index = DOORS.map((door) => `- [\`${door.name}\`](${fileOf(door)})`).join("\n");
const options = "[Options](options.md), each with the values it takes, its default and its names elsewhere.";
pages.set("README.md", `# Reference\n\n${ABOUT}\n\n${options}\n\n${index}\n`);
// Options are declared when the modules that have them are loaded.
for (const { name, isContract } of DOORS.filter(({ name: door }) => !/^@toolrig\/interop\/./.test(door)))
  if (isContract !== true) await import(name);
pages.set("options.md", optionsPage());

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
for (const [name, text] of pages) writeFileSync(join(FOLDER, name), text);
console.log(`${pages.size} pages in ${FOLDER}`);
