/**
 * `npm run docs`: builds docs/ and the other pages of the repository into a website, in site/dist. With `--serve` it serves them
 * while they are written; with `--check` it builds, checks types and looks at every page in a browser; `--base /path/`
 * is for a site that does not stand at the root of its address.
 */
import { spawn, spawnSync } from "node:child_process";
import { watch } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { installFolder } from "../install-folder.ts";
import { placesOf, writePages } from "./pages.ts";

const USE = "Use: npm run docs [-- --serve | --check | --base /path/].";
const root = join(import.meta.dirname, "../..");
const site = join(root, "site");

function wanted(): { serve: boolean; check: boolean; base: string } {
  const { values } = parseArgs({
    options: {
      serve: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      base: { type: "string", default: "/" },
    },
  });
  if (!/^\/([\w.-]+\/)*$/.test(values.base))
    throw new Error(`--base must begin and end with a slash, as in /toolrig/; got "${values.base}". ${USE}`);
  if (values.serve && values.check) throw new Error(`--serve and --check do not go together. ${USE}`);
  if (values.check && values.base !== "/") throw new Error(`--check looks at a site without --base. ${USE}`);
  return values;
}

function build(base: string): boolean {
  writePages(root, join(site, "pages"));
  if (!run(site, "vitepress", "build", ".", "--base", base)) return false;
  console.log(`${placesOf(root).length} pages in site/dist. To look at them: npx vitepress preview site`);
  return true;
}

/** Pages follow what is written; vitepress sends them to the browser. */
function serve(base: string): void {
  const pages = join(site, "pages");
  const write = () => {
    try {
      writePages(root, pages);
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
    }
  };
  write();
  for (const folder of [".", "docs", "examples", "site"])
    watch(join(root, folder), { recursive: folder === "docs" || folder === "examples" }, (_, name) => {
      if (name?.endsWith(".md")) write();
    });
  const server = spawn("npx", ["vitepress", "dev", ".", "--host", "127.0.0.1", "--base", base], {
    cwd: site,
    stdio: "inherit",
  });
  server.once("close", (code) => process.exit(code ?? 0));
}

function run(cwd: string, command: string, ...args: string[]): boolean {
  return spawnSync("npx", [command, ...args], { cwd, stdio: "inherit" }).status === 0;
}

try {
  const { serve: serving, check, base } = wanted();
  installFolder(site, "what makes the website (about 100 MB, once)", console.log);
  if (serving) serve(base);
  else {
    const done =
      build(base) &&
      (!check ||
        (run(root, "tsc", "-p", "site") && run(root, "vitest", "run", "--config", "site/vitest.config.ts")));
    if (!done) process.exitCode = 1;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
