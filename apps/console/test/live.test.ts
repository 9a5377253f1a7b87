import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { seriousFindings } from "./fixture/axe.ts";
import { launchBrowser, type OpenPage, openPage } from "./fixture/browser.ts";
import { littleWorld } from "./fixture/little.ts";
import { someCall } from "./fixture/much.ts";
import { FixtureServer } from "./fixture/server.ts";
import { callLine, dice, emptyWorld, feedMessage } from "./fixture/world.ts";
import { makeWorld } from "./fixture/worlds.ts";

/** Live, the call drawer, Runs and Run over a server whose data and connection the tests hold in their hands. */

const PICTURES = resolve(import.meta.dirname, "../screenshots");
mkdirSync(PICTURES, { recursive: true });

let browser: Browser;
let server: FixtureServer;
beforeAll(async () => {
  browser = await launchBrowser();
  server = new FixtureServer(emptyWorld(Date.now()));
  await server.start();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});
beforeEach(() => {
  server.world = littleWorld(Date.now());
  server.posted.length = 0;
});

const visit = (path: string, width = 1440): Promise<OpenPage> =>
  openPage(browser, server.url + path, { viewport: { width, height: 900 } });
const rows = (page: Page) => page.locator(".call-row");
const nameOf = (page: Page, index: number) => rows(page).nth(index).locator(".call-name").textContent();
const storyOf = (name: string) => server.world.calls.find((line) => line.name === name)?.executionId ?? "";

/** A call that begins now. */
const newCall = (number: number, given: Partial<Parameters<typeof callLine>[1]> = {}) =>
  callLine(50_000 + number, {
    name: `new_tool_${number}`,
    gist: "{}",
    startedAt: Date.now(),
    durationMs: 1,
    ...given,
  });

describe("Live", () => {
  test("shows calls newest first, adds what comes on top, and changes lines in place", async () => {
    await using opened = await visit("/");
    const { page } = opened;
    await rows(page).nth(9).waitFor();
    expect(await nameOf(page, 0)).toBe("list_files");
    expect(await page.locator(".call-unknown").textContent()).toContain("outcome unknown");

    const call = newCall(1, { state: "running" });
    server.send(feedMessage({ calls: [call] }));
    await expect.poll(() => nameOf(page, 0)).toBe("new_tool_1");
    server.send(feedMessage({ calls: [{ ...call, revision: 2, state: "ok", durationMs: 77 }] }));
    await expect.poll(() => rows(page).first().textContent()).toContain("77 ms");
    // One that is older than what is known changes nothing.
    server.send(feedMessage({ calls: [call, newCall(2)] }));
    await expect.poll(() => nameOf(page, 0)).toBe("new_tool_2");
    expect(await rows(page).nth(1).textContent()).toContain("77 ms");
    expect(opened.complaints).toEqual([]);
  });

  test("counts what comes while one reads, and moves nothing until it is asked for", async () => {
    await using opened = await visit("/");
    const { page } = opened;
    await rows(page).nth(9).waitFor();
    await page.keyboard.press("j");
    const before = await page.locator(".call-row.selected").boundingBox();
    server.send(feedMessage({ calls: Array.from({ length: 12 }, (_, index) => newCall(index)) }));
    await page.getByRole("button", { name: "12 new" }).waitFor();
    expect(await page.locator(".call-row.selected").boundingBox()).toEqual(before);
    expect(await nameOf(page, 0)).toBe("list_files");
    await page.getByRole("button", { name: "12 new" }).click();
    await expect.poll(() => nameOf(page, 0)).toMatch(/^new_tool_/);
    expect(await page.getByRole("button", { name: /new$/ }).count()).toBe(0);
  });

  test("pauses, and goes on", async () => {
    await using opened = await visit("/");
    const { page } = opened;
    await rows(page).nth(9).waitFor();
    await page.keyboard.press("p");
    server.send(feedMessage({ calls: [newCall(1)] }));
    await page.getByRole("button", { name: "1 new" }).waitFor();
    await page.getByRole("button", { name: "Go on" }).click();
    await expect.poll(() => nameOf(page, 0)).toBe("new_tool_1");
  });

  test("has its filters in the address, for what was and for what comes", async () => {
    await using opened = await visit("/?blame=model,policy");
    const { page } = opened;
    await expect.poll(() => rows(page).count()).toBe(2);
    await page.getByRole("button", { name: "policy" }).click();
    await expect.poll(() => rows(page).count()).toBe(1);
    expect(new URL(page.url()).searchParams.get("blame")).toBe("model");
    await page.getByRole("button", { name: "Clear" }).click();
    await expect.poll(() => rows(page).count()).toBe(10);

    await page.keyboard.press("/");
    await page.keyboard.type("Retention");
    await expect.poll(() => new URL(page.url()).searchParams.get("q")).toBe("Retention");
    await expect.poll(() => rows(page).count()).toBe(4);
    server.send(feedMessage({ calls: [newCall(1), newCall(2, { gist: "about retention" })] }));
    await page.keyboard.press("Escape");
    await expect.poll(() => rows(page).count()).toBe(5);
    expect(await nameOf(page, 0)).toBe("new_tool_2");
  });

  test("reads older calls when one scrolls to them, and makes elements only of what is seen", async () => {
    server.world = makeWorld("much");
    await using opened = await visit("/");
    const { page } = opened;
    await rows(page).nth(20).waitFor();
    const list = page.locator(".virtual-list");
    const heightOf = () => list.evaluate((element) => element.scrollHeight);
    const before = await heightOf();
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await expect.poll(heightOf).toBeGreaterThan(before);
    expect(await rows(page).count()).toBeLessThan(80);
  });

  test("says that it reads, and no numbers, until the server has answered", async () => {
    const answer = Promise.withResolvers<void>();
    await using opened = await visit("/policy");
    const { page } = opened;
    await page.route("**/api/v1/calls?*", (route) => answer.promise.then(() => route.continue()));
    await page.goto(`${server.url}/`);
    await page.getByText("Reading the calls").waitFor();
    expect(await page.locator(".facts").count()).toBe(0);
    answer.resolve();
    await rows(page).nth(9).waitFor();
    await page.locator(".facts", { hasText: "running" }).waitFor();
    expect(await page.getByText("Reading the calls").count()).toBe(0);
  });

  test("an empty one shows the command that fills it, and the demo's button", async () => {
    server.world = emptyWorld(Date.now());
    await using opened = await visit("/");
    await opened.page.getByText("No calls yet").waitFor();
    await opened.page.getByRole("button", { name: /^Copy: npx toolrig tools/ }).waitFor();
    await opened.page.getByRole("button", { name: "Run the demo" }).waitFor();
  });
});

describe("Call", () => {
  test("the drawer has its own address, opens by a key, closes by one, and Back works", async () => {
    await using opened = await visit("/");
    const { page } = opened;
    await rows(page).nth(9).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    const drawer = page.getByRole("complementary", { name: "Call" });
    await drawer.getByRole("heading", { name: "build_index" }).waitFor();
    expect(new URL(page.url()).searchParams.get("call")).toBe(storyOf("build_index"));
    await page.keyboard.press("j");
    await drawer.getByRole("heading", { name: "send_email" }).waitFor();
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
    await page.goBack();
    await drawer.waitFor();
  });

  test("marks in place what was changed in what the model wrote, and says why", async () => {
    await using opened = await visit(`/?call=${storyOf("search_docs")}`);
    const { page } = opened;
    await page.getByText("What the model wrote").waitFor();
    expect((await page.locator("mark.removed").allTextContents()).join("")).toContain(",");
    expect(await page.locator("mark.added").first().textContent()).toBe('"');
    await page.getByText('took "5" as the number 5').waitFor();
    await page.getByText("policy allowed it").waitFor();
    await page.getByText("Show 8 more lines").click();
    await page.getByText("docs/anchors.md").waitFor();
  });

  test("tells attempts, effects as diffs, what came late, and that an outcome is unknown", async () => {
    await using opened = await visit(`/calls/${storyOf("fetch_url")}`);
    const { page } = opened;
    await page.getByText("HTTP 503 from status.example.com").waitFor();
    await page.goto(`${server.url}/calls/${storyOf("write_file")}`);
    expect(await page.locator(".diff-added").textContent()).toContain("+Records are kept for 400 days.");
    await page.goto(`${server.url}/calls/${storyOf("create_invoice")}`);
    await page.locator(".outcome.loud").getByText("Gave up after 10 s; it may have happened.").waitFor();
    await page.getByText("after the call was over. The model did not get it.").waitFor();
  });

  test("a call that is not there says so", async () => {
    await using opened = await visit("/calls/nothing");
    await opened.page.getByRole("alert").getByText("There is nothing at").waitFor();
  });

  test("a result of 5 MB and texts of an enemy are shown, and run nothing", async () => {
    server.world = makeWorld("hostile");
    await using opened = await visit("/");
    const { page } = opened;
    await rows(page).nth(6).waitFor();
    // 200 fields, text that turns around, 5 MB.
    for (const line of [0, 1, 4].flatMap((index) => server.world.calls[index] ?? [])) {
      await page.goto(`${server.url}/calls/${line.executionId}`);
      await page.getByText("TOOL_PANICKED").waitFor();
      const text = (await page.locator(".story").textContent()) ?? "";
      for (const unseen of ["\u202e", "\u0000", "\u001b"]) expect(text).not.toContain(unseen);
      expect(await page.locator(".story img, .story script").count()).toBe(0);
    }
    expect(opened.complaints).toEqual([]);
  });
});

describe("Runs and Run", () => {
  test("a run's calls are bars on one axis, linked to what was said", async () => {
    await using opened = await visit("/runs");
    const { page } = opened;
    await page.getByRole("link", { name: /Find out how long/ }).click();
    await page.getByRole("heading", { name: /Find out how long/ }).waitFor();
    expect(await page.locator(".bar-row").count()).toBe(9);
    expect(await page.locator(".bar-row .segment-approval").count()).toBe(1);
    expect(await page.locator(".bar-row .bar-join").count()).toBe(2);
    const [first, last] = await Promise.all(
      ["search_docs", "build_index"].map((name) =>
        page.locator(".bar-row", { hasText: name }).locator(".segment-execute").boundingBox(),
      ),
    );
    expect(first?.x).toBeLessThan(last?.x ?? 0);
    await page.locator(".said-calls a", { hasText: "create_invoice" }).hover();
    await page.locator(".bar-row.pointed", { hasText: "create_invoice" }).waitFor();
    await page.locator(".said-calls a", { hasText: "create_invoice" }).click();
    await page.getByRole("complementary", { name: "Call" }).waitFor();
    await page.locator(".bar-row.selected", { hasText: "create_invoice" }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  test("a run is steered, followed up, aborted, forked, resumed and replayed", async () => {
    const [here, , open] = server.world.runs;
    await using opened = await visit(`/runs/${here?.runId}`);
    const { page } = opened;
    await page.getByText("Steering denies 1 call that waits for approval; a follow-up does not.").waitFor();
    await page.getByLabel("Say to the agent").fill("look at the index first");
    await page.getByRole("button", { name: "Steer" }).click();
    await page.getByText("It will be told after the calls").waitFor();
    await page.getByLabel("Say to the agent").fill("and sum it up");
    await page.getByRole("button", { name: "Follow up" }).click();
    await page.getByText("It will be told when it is done").waitFor();
    await page.getByRole("button", { name: "Abort" }).click();
    await page.getByRole("button", { name: "Really abort" }).click();
    await page.getByText("It is being stopped").waitFor();
    await page.locator(".turn").nth(1).hover();
    await page.getByRole("button", { name: "Fork" }).nth(1).click();
    await page.getByRole("dialog").getByRole("textbox").fill("be brief");
    await page.getByRole("dialog").getByRole("button", { name: "Fork" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.goto(`${server.url}/runs/${open?.runId}`);
    await page.getByRole("button", { name: "Resume", exact: true }).click();
    await page.getByText("It goes on.").waitFor();
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    await page.getByText("It is replayed.").waitFor();
    const did = (run: string | undefined, what: string, body: unknown) => ({
      path: `/runs/${run}/${what}`,
      body,
    });
    expect(server.posted).toEqual([
      did(here?.runId, "steer", { text: "look at the index first" }),
      did(here?.runId, "follow-up", { text: "and sum it up" }),
      did(here?.runId, "abort", {}),
      did(here?.runId, "fork", { turn: 2, input: "be brief" }),
      did(open?.runId, "resume", {}),
      did(open?.runId, "replay", {}),
    ]);
  });

  test("runs change in place, and new ones are counted", async () => {
    await using opened = await visit("/runs");
    const { page } = opened;
    const [run] = server.world.runs;
    await page.getByText("List the open pull requests").waitFor();
    const columns = await page.getByRole("columnheader").allInnerTexts();
    expect(columns).toEqual(["Task", "State", "By", "Turns", "Took", "Began"]);
    if (run === undefined) throw new Error("no run");
    server.send(
      feedMessage({
        runs: [
          { ...run, revision: 2, state: "answered" },
          { ...run, runId: "run_new", task: "A new task" },
        ],
      }),
    );
    await page.locator("tbody tr").first().getByText("answered").waitFor();
    await page.getByRole("button", { name: "1 new" }).click();
    await page.getByText("A new task").waitFor();
  });
});

describe("the server", () => {
  test("is shown as lost and comes back, without gaps or doubles, while everything stays readable", async () => {
    await using opened = await visit("/");
    const { page } = opened;
    await rows(page).nth(9).waitFor();
    await server.stop();
    const lost = page.getByText("Server lost");
    await lost.waitFor();
    expect(await rows(page).count()).toBe(10);
    await page.screenshot({ path: join(PICTURES, "test-lost-server.png") });
    server.send(feedMessage({ calls: [newCall(1), newCall(2)] }));
    await server.start();
    await lost.waitFor({ state: "detached" });
    await expect.poll(() => nameOf(page, 0)).toBe("new_tool_2");
    expect(await rows(page).count()).toBe(12);
  });

  test("that no longer has what was missed: the lists are read anew", async () => {
    await using opened = await visit("/");
    const { page } = opened;
    await rows(page).nth(9).waitFor();
    server.send(feedMessage({ calls: [newCall(1)] }));
    await expect.poll(() => nameOf(page, 0)).toBe("new_tool_1");
    await server.stop();
    await page.getByText("Server lost").waitFor();
    server.send(feedMessage({ calls: [newCall(2)] }));
    server.forget();
    await server.start();
    await expect.poll(() => nameOf(page, 0)).toBe("new_tool_2");
    expect(await rows(page).count()).toBe(12);
  });

  test("that is away when a decision is sent: it is said to be unsent, and sent when the server is back", async () => {
    await using opened = await visit("/inbox");
    const { page } = opened;
    await page.clock.install();
    const approve = page.getByRole("button", { name: "Approve" });
    const unsent = page.getByText("Not sent: Approved.");
    const loseIt = async () => {
      await approve.click();
      await server.stop();
      await page.clock.fastForward(5_000);
      await unsent.waitFor();
    };
    await loseIt();
    await page.screenshot({ path: join(PICTURES, "test-unsent.png") });
    await page.getByRole("alert").getByRole("button", { name: "Undo" }).click();
    await approve.waitFor();
    await server.start();
    await page.getByRole("button", { name: "Try now" }).click();
    await page.getByText("Server lost").waitFor({ state: "detached" });
    await loseIt();
    await server.start();
    await page.getByRole("button", { name: "Try now" }).click();
    // It can be taken back once more before it goes.
    await page.getByRole("button", { name: /^Undo \d s/ }).waitFor();
    expect(server.posted).toEqual([]);
    await page.clock.fastForward(5_000);
    await expect.poll(() => server.posted.length).toBe(1);
    expect(server.posted[0]?.path).toMatch(/\/approve$/);
    expect(await unsent.count()).toBe(0);
  });

  test("tells that somebody else answered the chosen card: the one in its place is next, none before it", async () => {
    const [wait] = server.world.inbox;
    if (wait === undefined) throw new Error("nothing waits");
    server.world.inbox = ["n1", "n2", "n3", "n4"].map((id) => ({
      ...wait,
      id,
      sentence: `It asks for ${id}`,
    }));
    await using opened = await visit("/inbox");
    const { page } = opened;
    const chosen = () => page.locator("article.current").getAttribute("aria-label");
    await page.locator("article.card").nth(3).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await expect.poll(chosen).toBe("It asks for n3");
    server.world.inbox = server.world.inbox.filter(({ id }) => id !== "n3");
    server.send(feedMessage({ inbox: 3 }));
    await expect.poll(() => page.locator("article.card").count()).toBe(3);
    expect(await chosen()).toBe("It asks for n4");
  });

  test("is not swamped: a thousand calls at once are drawn once", async () => {
    await using opened = await visit("/");
    const { page } = opened;
    await rows(page).nth(9).waitFor();
    const roll = dice(3);
    const calls = Array.from({ length: 1_000 }, (_, index) => ({
      ...someCall(roll, index, Date.now()),
      startedAt: Date.now(),
      endedAt: Date.now(),
    }));
    server.send(feedMessage({ calls }));
    await expect.poll(() => page.locator(".facts").textContent()).toMatch(/1,0\d\d ended/);
    expect(await rows(page).count()).toBeLessThan(80);
  });
});

describe("everything", () => {
  test("has no serious finding of axe-core, in both themes and at phone width", async () => {
    const run = `/runs/${server.world.runs[0]?.runId}`;
    const views = [
      [`/?call=${storyOf("search_docs")}`, "light", 1440],
      [`/calls/${storyOf("create_invoice")}`, "dark", 1440],
      ["/", "dark", 390],
      ["/runs", "light", 390],
      [run, "light", 1440],
      [run, "dark", 390],
    ] as const;
    for (const [path, colorScheme, width] of views) {
      await using opened = await openPage(browser, server.url + path, {
        colorScheme,
        viewport: { width, height: 900 },
        reducedMotion: "reduce",
      });
      await opened.settled();
      expect(await opened.page.evaluate(() => document.getAnimations().length), path).toBe(0);
      expect(await seriousFindings(opened.page), `${path} ${colorScheme} ${width}`).toEqual([]);
      expect(opened.complaints).toEqual([]);
    }
  });

  test("times over time are a chart that tells its values under the pointer", async () => {
    server.world = makeWorld("little");
    await using opened = await visit("/tools/search_docs");
    const { page } = opened;
    await page.locator(".trend-chart .u-over").hover();
    await page.locator(".u-legend", { hasText: / ms| s/ }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  test("goes to pages by keys, shows all keys, and switches the theme for good", async () => {
    await using opened = await visit("/");
    const { page } = opened;
    await rows(page).nth(9).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    await page.getByRole("heading", { name: "Runs" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).getByText("All keys").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Auto" }).click();
    await page.getByRole("button", { name: "Light" }).click();
    await page.reload();
    await page.getByRole("button", { name: "Dark" }).waitFor();
    expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
  });
});
