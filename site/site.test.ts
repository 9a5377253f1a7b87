/** The built website in a browser: every page as a reader gets it. `npm run docs -- --check` builds it first. */
import { globSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seriousFindings } from "../apps/console/test/fixture/axe.ts";
import { launchBrowser, type OpenPage, openPage } from "../apps/console/test/fixture/browser.ts";
import { type Served, serveBuilt } from "./serve-built.ts";

const DIST = join(import.meta.dirname, "dist");
const PATHS = globSync("**/*.html", { cwd: DIST })
  .map((file) => `/${file.replace(/(^|\/)index\.html$/, "$1").replace(/\.html$/, "")}`)
  .filter((path) => path !== "/404")
  .sort();

const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

let site: Served;
let browser: Browser;
/** Whatever a browser asked of anybody but the site. */
const asked: string[] = [];

beforeAll(async () => {
  site = await serveBuilt(DIST);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser.close();
  await site[Symbol.asyncDispose]();
});

async function open(path: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const opened = await openPage(browser, "about:blank", options);
  opened.page.on("request", (request) => {
    if (!request.url().startsWith(site.origin)) asked.push(request.url());
  });
  await opened.page.goto(site.origin + path);
  await opened.settled();
  return opened;
}

interface Seen {
  title: string;
  headings: string[];
  ids: Set<string>;
  links: string[];
  /** Pixels by which it is wider than a phone. */
  tooWide: number;
  brokenImages: string[];
  complaints: string[];
}

describe("every page", () => {
  const seen = new Map<string, Seen>();

  beforeAll(async () => {
    const left = [...PATHS];
    const walk = async () => {
      await using opened = await open("/", { viewport: PHONE });
      for (let path = left.pop(); path !== undefined; path = left.pop())
        seen.set(path, await look(opened, path));
    };
    await Promise.all([walk(), walk(), walk()]);
  });

  const wrong = (problemOf: (page: Seen, path: string) => unknown): [string, unknown][] =>
    [...seen].flatMap(([path, page]) => {
      const problem = problemOf(page, path);
      return problem === undefined || problem === 0 || (Array.isArray(problem) && problem.length === 0)
        ? []
        : [[path, problem]];
    });

  test("was looked at", () => {
    expect(PATHS.length).toBeGreaterThan(60);
    expect([...seen.keys()].sort()).toEqual(PATHS);
  });

  test("has a title and one heading", () => {
    expect(
      wrong(({ title, headings }) => (title.includes("Toolrig") ? undefined : title) ?? headings.slice(1)),
    ).toEqual([]);
    expect(wrong(({ headings }) => ((headings[0] ?? "") !== "" ? undefined : "no heading"))).toEqual([]);
  });

  test("says nothing in the console", () => {
    expect(wrong(({ complaints }) => complaints)).toEqual([]);
  });

  test("links to pages and headings that are there", () => {
    const dead = (link: string) => {
      const { pathname, hash } = new URL(link);
      const target = seen.get(decodeURIComponent(pathname));
      if (target === undefined) return !/\.(json|yml|png)$/.test(pathname);
      return hash !== "" && !target.ids.has(decodeURIComponent(hash.slice(1)));
    };
    expect(wrong(({ links }) => links.filter((link) => link.startsWith(site.origin) && dead(link)))).toEqual(
      [],
    );
  });

  test("shows its pictures", () => {
    expect(wrong(({ brokenImages }) => brokenImages)).toEqual([]);
  });

  test("fits on a phone: what is wide scrolls inside itself", () => {
    expect(wrong(({ tooWide }) => tooWide)).toEqual([]);
  });
});

async function look({ page, settled, complaints }: OpenPage, path: string): Promise<Seen> {
  await page.goto(site.origin + path);
  await settled();
  const { ids, ...rest } = await page.evaluate(() => ({
    title: document.title,
    headings: Array.from(document.querySelectorAll("h1"), (heading) => heading.textContent ?? ""),
    ids: Array.from(document.querySelectorAll("[id]"), ({ id }) => id),
    links: Array.from(document.querySelectorAll("a"), ({ href }) => href),
    brokenImages: Array.from(document.images, ({ src, complete, naturalWidth }) =>
      complete && naturalWidth === 0 ? src : "",
    ).filter((src) => src !== ""),
    tooWide: Math.max(0, document.documentElement.scrollWidth - window.innerWidth),
  }));
  return { ...rest, ids: new Set(ids), complaints: complaints.splice(0) };
}

describe("the search", () => {
  test.each([
    ["approval", /^approval/i],
    ["TOOL_OUTCOME_UNKNOWN", /^codes of calls$/i],
    ["outcome unknown", undefined],
    ["rig", /^rig$/],
    ["budgetGuard", /^budgetGuard$/],
  ])("finds %s", async (words, title) => {
    await using opened = await open("/");
    const { page } = opened;
    await page.keyboard.press("/");
    await page.locator("#localsearch-input").fill(words);
    const found = page.locator("#localsearch-list .result .title.main");
    await found.first().waitFor();
    const titles = (await found.allInnerTexts()).map((each) => each.trim());
    if (title !== undefined) expect(titles.slice(0, 5)).toContainEqual(expect.stringMatching(title));
    await page.keyboard.press("Enter");
    await expect.poll(() => new URL(page.url()).pathname).not.toBe("/");
    for (const word of words.split(" "))
      await expect.poll(() => page.locator("main").innerText()).toMatch(new RegExp(word, "i"));
    expect(opened.complaints).toEqual([]);
  });

  test.each([
    ["TOOL_OUTCOME_UNKNOWN", /^\/failures#/],
    ["OPTION_INVALID", /^\/failures#/],
    ["stop a run", /^\/(?!changelog)/],
    ["how do I stop a run", /^\/(?!changelog)/],
  ])("lists first for %s what answers it", async (words, address) => {
    await using opened = await open("/");
    const { page } = opened;
    await page.keyboard.press("/");
    await page.locator("#localsearch-input").fill(words);
    const found = page.locator("#localsearch-list .result");
    await found.first().waitFor();
    expect(await found.first().getAttribute("href")).toMatch(address);
  });
});

describe("dark mode", () => {
  const DARK = "rgb(16, 17, 20)";
  const LIGHT = "rgb(255, 255, 255)";
  const ground = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

  test("follows the system, with the console's ground", async () => {
    await using light = await open("/", { colorScheme: "light" });
    await using dark = await open("/", { colorScheme: "dark" });
    expect([await ground(light.page), await ground(dark.page)]).toEqual([LIGHT, DARK]);
    for (const { page } of [light, dark])
      expect(await page.locator(".lead img:visible").count(), "the console in the page's own theme").toBe(1);
  });

  test("is chosen by the switch, and stays", async () => {
    await using opened = await open("/guards", { colorScheme: "light" });
    const { page } = opened;
    await page.locator(".VPNavBarAppearance .VPSwitchAppearance").click();
    await expect.poll(() => ground(page)).toBe(DARK);
    await page.reload();
    await expect.poll(() => ground(page)).toBe(DARK);
  });
});

describe("axe-core finds nothing serious", () => {
  test.each([
    ["/", "light", WIDE],
    ["/", "dark", PHONE],
    ["/guards", "light", PHONE],
    ["/beneath/", "dark", WIDE],
    ["/reference/json", "light", WIDE],
    ["/reference/json", "dark", PHONE],
    ["/nowhere", "dark", WIDE],
  ] as const)("at %s, %s", async (path, colorScheme, viewport) => {
    await using opened = await open(path, { colorScheme, viewport, reducedMotion: "reduce" });
    expect(await seriousFindings(opened.page)).toEqual([]);
  });
});

test("an address that is not there says so, and leads back", async () => {
  await using opened = await open("/no/such/page");
  const { page } = opened;
  expect((await page.request.get(`${site.origin}/no/such/page`)).status()).toBe(404);
  await expect.poll(() => page.locator(".NotFound").innerText()).toMatch(/no such page/i);
  await page.locator(".NotFound a").click();
  await expect.poll(() => page.locator("h1").innerText()).toMatch(/tool runtime/);
});

// Last: by now every page has been open.
test("nobody but the site was asked for anything", () => {
  expect(asked).toEqual([]);
});
