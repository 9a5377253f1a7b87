import { runnableIn, wrongCommands } from "../../docs/commands.ts";
import { deadLinks } from "../../docs/links.ts";
import { pagesOf } from "../../docs/snippets.ts";
import type { Trial } from "./trial.ts";

/** What pages lead to and tell people to run is there. */
export async function onPages(trial: Trial, root: string): Promise<void> {
  await trial.step("links", () => {
    const pages = pagesOf(root);
    const dead = pages.flatMap((page) => deadLinks(root, page).map((target) => `${page}: ${target}`));
    if (dead.length > 0) throw new Error(`nothing is at ${dead.join(", ")}`);
    return `of ${pages.length} pages, all lead somewhere`;
  });
  await trial.step("commands", async () => {
    const { checked, wrong } = await wrongCommands(root, await runnableIn(root));
    if (wrong.length > 0) throw new Error(wrong.join("; "));
    return `${checked} on the pages, with their options, exist`;
  });
}
