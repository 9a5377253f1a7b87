/** Links between pages hold in the repository when the file is there, and so is the heading. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { headingId } from "../scripts/site/heading-id.ts";

/** Where a page leads that is not there. Addresses on the web are not asked for. */
export function deadLinks(root: string, page: string): string[] {
  const text = readFileSync(join(root, page), "utf8");
  const targets = Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, target = ""]) => target);
  return targets.filter((target) => !/^https?:/.test(target) && !isThere(root, page, target));
}

function isThere(root: string, page: string, target: string): boolean {
  const [path = "", heading] = target.split("#");
  const file = join(root, path === "" ? page : join(dirname(page), path));
  return existsSync(file) && (heading === undefined || headingsOf(file).includes(heading));
}

function headingsOf(file: string): string[] {
  const titles = readFileSync(file, "utf8").matchAll(/^#+ (.+)$/gm);
  return Array.from(titles, ([, title = ""]) => headingId(title));
}
