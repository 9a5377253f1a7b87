/**
 * Pictures of every page in both themes at three widths, with nothing, little, much and hostile data, into
 * apps/console/screenshots/. Arguments choose: a part of a picture's name each, such as `live-dark` or `390`. With `--docs` the
 * three of the documentation, into docs/images/.
 */
import { basename, join, resolve } from "node:path";
import { launchBrowser, openPage } from "./fixture/browser.ts";
import { FixtureServer } from "./fixture/server.ts";
import type { Amount, World } from "./fixture/world.ts";
import { AMOUNTS, makeWorld } from "./fixture/worlds.ts";

const FOLDER = resolve(import.meta.dirname, "../screenshots");
const IMAGES = resolve(import.meta.dirname, "../../../docs/images");
const WIDTHS = [1440, 1024, 390] as const;
const THEMES = ["light", "dark"] as const;

/** The pages by name; undefined where a world has nothing for it. */
const PAGES: Record<string, (world: World) => string | undefined> = {
  live: () => "/",
  call: (world) => world.calls[0] && `/?call=${world.calls[0].executionId}`,
  "call-repaired": (world) => storyOf(world, "search_docs"),
  "call-retried": (world) => storyOf(world, "fetch_url"),
  "call-written": (world) => storyOf(world, "write_file"),
  "call-unknown": (world) => storyOf(world, "create_invoice"),
  "call-page": (world) => world.calls[0] && `/calls/${world.calls[0].executionId}`,
  runs: () => "/runs",
  run: (world) => world.runs[0] && `/runs/${world.runs[0].runId}`,
  "run-long": (world) => world.runs[3] && `/runs/${world.runs[3].runId}`,
  inbox: () => "/inbox",
  tools: () => "/tools",
  tool: (world) => world.calls[0] && `/tools/${encodeURIComponent(world.calls[0].name)}`,
  failures: () => "/failures",
  audit: () => "/audit",
  fleet: () => "/fleet",
  policy: () => "/policy",
};

const wanted = process.argv.slice(2);
const browser = await launchBrowser();
if (wanted.includes("--docs")) await shootForDocs();
else for (const amount of AMOUNTS) await shootAll(amount);
await browser.close();

async function shootAll(amount: Amount): Promise<void> {
  const world = makeWorld(amount);
  await using server = new FixtureServer(world);
  await server.start();
  for (const [name, address] of Object.entries(PAGES)) {
    const path = address(world);
    if (path === undefined) continue;
    for (const theme of THEMES)
      for (const width of WIDTHS) {
        const file = `${name}-${theme}-${amount}-${width}.png`;
        if (wanted.some((part) => !file.includes(part))) continue;
        await shoot(server.url + path, join(FOLDER, file), theme, [width, width === 390 ? 844 : 900]);
      }
  }
}

async function shootForDocs(): Promise<void> {
  const world = makeWorld("little");
  await using server = new FixtureServer(world);
  await server.start();
  const size = [1200, 680] as const;
  await shoot(
    `${server.url}${storyOf(world, "search_docs")}`,
    join(IMAGES, "console-call.png"),
    "light",
    size,
  );
  const run = `${server.url}/runs/${world.runs[0]?.runId}`;
  await shoot(run, join(IMAGES, "console-run.png"), "dark", size);
  await shoot(run, join(IMAGES, "console-run-light.png"), "light", size);
}

async function shoot(
  url: string,
  path: string,
  colorScheme: "light" | "dark",
  [width, height]: readonly [number, number],
): Promise<void> {
  await using opened = await openPage(browser, url, {
    viewport: { width, height },
    colorScheme,
    reducedMotion: "reduce",
  });
  await opened.settled();
  await opened.page.screenshot({ path });
  console.log(basename(path), opened.complaints.length === 0 ? "" : opened.complaints);
}

function storyOf(world: World, tool: string): string | undefined {
  const line = world.calls.find((call) => call.name === tool && world.stories.has(call.executionId));
  return line && `/?call=${line.executionId}`;
}
