import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, normalize, posix } from "node:path";

/**
 * Writes the pages that the site is made of: docs/ as it is, the README as the first page, a folder's README as its own
 * first page. Links to what is not on the site become the name of the file in question.
 */
export function writePages(root: string, folder: string): number {
  rmSync(folder, { recursive: true, force: true });
  const pages = ["README.md", ...globSync("docs/**/*.md", { cwd: root })]
    .map((page) => normalize(page))
    .sort();
  for (const page of pages) {
    const file = join(folder, placeOf(page));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, withLinks(readFileSync(join(root, page), "utf8"), page, new Set(pages), root));
  }
  const images = join(root, "docs/images");
  if (existsSync(images)) cpSync(images, join(folder, "images"), { recursive: true });
  return pages.length;
}

/** Where a page of the repository is on the site. */
function placeOf(page: string): string {
  if (page === "README.md") return "index.md";
  return page.replace(/^docs\//, "").replace(/(^|\/)README\.md$/, "$1index.md");
}

const FENCED = /^```[\s\S]*?^```$/gm;
const LINK = /(!?)\[([^\]]*)\]\(([^)\s#]*)(#[^)\s]*)?\)/g;

function withLinks(text: string, page: string, pages: ReadonlySet<string>, root: string): string {
  const blocks: string[] = [];
  const open = text.replace(FENCED, (block) => `\ue000${blocks.push(block) - 1}\ue000`);
  const linked = open.replace(LINK, (all, bang: string, words: string, path: string, heading = "") => {
    if (path === "" || /^[a-z]+:/.test(path)) return all;
    const target = posix.join(posix.dirname(page), path);
    if (pages.has(target)) return `[${words}](${relative(page, target)}${heading})`;
    if (bang === "!" && target.startsWith("docs/images/")) return `![${words}](${relative(page, target)})`;
    if (!existsSync(join(root, target))) throw new Error(`${page} links to ${path}, which is not there.`);
    return `${words} (\`${target}\`)`;
  });
  // What looks like an element or a template in prose is text.
  const plain = linked.replace(/`[^`\n]+`|<(?=[A-Za-z/])|\{\{/g, (part) =>
    part === "<" ? "&lt;" : part === "{{" ? "&#123;&#123;" : part.replace(/\{\{/g, "\ue001"),
  );
  return plain
    .replace(
      /`[^`\n]*\ue001[^`\n]*`/g,
      (code) => `<code v-pre>${escaped(code.slice(1, -1).replaceAll("\ue001", "{{"))}</code>`,
    )
    .replace(/\ue000(\d+)\ue000/g, (_, index: string) => blocks[Number(index)] ?? "");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function relative(page: string, target: string): string {
  const path = posix.relative(posix.dirname(placeOf(page)), placeOf(target));
  return path.startsWith(".") ? path : `./${path}`;
}
