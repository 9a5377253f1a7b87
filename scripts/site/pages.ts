import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, normalize, posix } from "node:path";

const SOURCES = ["*.md", "docs/**/*.md", "examples/*.md", "examples/*/*.md", "site/home.md"];
/** Files that are shown or linked unchanged. */
const FILES = ["docs/images/*", "docs/observability/*"];
const ICON = "apps/console/src/icon.svg";

/** Maps pages of the repository to their places on the site: files, such as guards.md and beneath/index.md. */
export function placesOf(root: string): string[] {
  return pagesIn(root).map(placeOf);
}

function pagesIn(root: string): string[] {
  return globSync(SOURCES, { cwd: root }).map(toPosix).sort();
}

/**
 * Writes what the site is made of: docs/ as it is, the pages at the top of the repository and those of examples. A folder's README
 * is its first page. Links to what is not on the site become the name of the file in question. What has not changed is
 * not written again.
 */
export function writePages(root: string, folder: string): void {
  const pages = pagesIn(root);
  const files = globSync(FILES, { cwd: root }).map(toPosix).sort();
  const places = new Map(pages.map((page) => [page, placeOf(page)]));
  for (const file of files) places.set(file, posix.join("public", placeOf(file)));
  const written = new Map<string, string | Buffer>([["public/icon.svg", readFileSync(join(root, ICON))]]);
  for (const page of pages) {
    if (written.has(placeOf(page)))
      throw new Error(`${page} and another page are both ${placeOf(page)} on the site.`);
    written.set(placeOf(page), withLinks(readFileSync(join(root, page), "utf8"), page, places, root));
  }
  for (const file of files) written.set(places.get(file) ?? file, readFileSync(join(root, file)));
  bringTo(folder, written);
}

/** Returns the place of a page of the repository on the site. */
function placeOf(page: string): string {
  if (page === "site/home.md") return "index.md";
  if (page === "README.md") return "overview.md";
  if (!page.includes("/")) return page.toLowerCase();
  return page.replace(/^docs\//, "").replace(/(^|\/)README\.md$/, "$1index.md");
}

function bringTo(folder: string, wanted: ReadonlyMap<string, string | Buffer>): void {
  for (const name of globSync("**/*.*", { cwd: folder }).map(toPosix))
    if (!wanted.has(name)) rmSync(join(folder, name));
  for (const [name, content] of wanted) {
    const file = join(folder, name);
    if (existsSync(file) && readFileSync(file).equals(Buffer.from(content))) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

const CODE = /^( *)```[\s\S]*?^\1```$|`[^`\n]+`/gm;
const HIDDEN = /\ue000(\d+)\ue000/g;
const LINK = /(!?)\[([^\]]*)\]\(([^)\s#]*)(#[^)\s]*)?\)/g;

function withLinks(text: string, page: string, places: ReadonlyMap<string, string>, root: string): string {
  const code: string[] = [];
  const open = text.replace(CODE, (each) => `\ue000${code.push(each) - 1}\ue000`);
  const whole = (part: string) => part.replace(HIDDEN, (_, index: string) => code[Number(index)] ?? "");
  const linked = open.replace(LINK, (all, bang: string, words: string, path: string, heading = "") => {
    if (path === "" || /^[a-z]+:/.test(path)) return all;
    const named = posix.join(posix.dirname(page), path);
    if (!existsSync(join(root, named))) throw new Error(`${page} links to ${path}, which is not there.`);
    const target = [named, posix.join(named, "README.md")].find((each) => places.has(each));
    if (target === undefined) {
      const isName = whole(words).replaceAll("`", "") === named.replace(/\/$/, "");
      return isName ? `\`${named}\`` : `${words} (\`${named}\`)`;
    }
    // On the site nobody knows a page by the name of its file.
    const shown = whole(words).replaceAll("`", "").endsWith(".md") ? titleOf(join(root, target)) : words;
    return `${bang}[${shown}](${addressOf(page, places.get(target) ?? "")}${heading})`;
  });
  return whole(linked);
}

function titleOf(file: string): string {
  return /^# (.+)$/m.exec(readFileSync(file, "utf8"))?.[1] ?? "";
}

function addressOf(page: string, place: string): string {
  if (place.startsWith("public/")) return place.slice("public".length);
  const path = posix.relative(posix.dirname(placeOf(page)), place);
  return path.startsWith(".") ? path : `./${path}`;
}

function toPosix(path: string): string {
  return normalize(path).replaceAll("\\", "/");
}
