/** `npm run docs`: builds the pages of docs/ and the README into a website, in site/dist. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { installFolder } from "../install-folder.ts";
import { writePages } from "./pages.ts";

const root = join(import.meta.dirname, "../..");
const site = join(root, "site");
installFolder(site, "what makes the website (about 100 MB, once)", console.log);
const count = writePages(root, join(site, "pages"));
const { status } = spawnSync("npx", ["vitepress", "build", "."], { cwd: site, stdio: "inherit" });
if (status === 0) console.log(`${count} pages in site/dist. To look at them: npx vitepress preview site`);
process.exitCode = status ?? 1;
