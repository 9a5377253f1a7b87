import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { tool } from "@toolrig/core";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seriousFindings } from "./fixture/axe.ts";
import { launchBrowser, openPage } from "./fixture/browser.ts";
import { type Desk, openDesk } from "./fixture/desk.ts";

/** The pages of the inbox, tools, failures, audit, fleet and policy, in a real browser on a real server. In order. */

const PICTURES = resolve(import.meta.dirname, "../screenshots");
mkdirSync(PICTURES, { recursive: true });

let browser: Browser;
let desk: Desk;
beforeAll(async () => {
  [browser, desk] = await Promise.all([launchBrowser(), openDesk()]);
});
afterAll(async () => {
  await browser?.close();
  await desk?.[Symbol.asyncDispose]();
});

/** A page of the console, whose clock a test can move on. It must have had nothing to complain of but what is expected. */
async function visit(
  path: string,
  use: (page: Page) => Promise<void>,
  expected: readonly RegExp[] = [],
): Promise<void> {
  await using opened = await openPage(browser, "about:blank");
  const { page, complaints } = opened;
  await page.clock.install();
  await page.goto(desk.url + path);
  await use(page);
  expect(complaints.filter((each) => !expected.some((pattern) => pattern.test(each)))).toEqual([]);
}

const waits = () => desk.shop.rig.waits.list({ open: true });
const card = (page: Page, name: string) => page.locator("article.card").filter({ hasText: name });

/** Past the five seconds in which a decision can be taken back. */
const letItBeSent = (page: Page) => page.clock.fastForward(5_000);

/** The latest record of a tool, once there is one that fits. */
async function recordOf(tool: string, fits: (value: unknown, message: string) => boolean): Promise<void> {
  await expect
    .poll(() => {
      const { records } = desk.shop.rig.store?.records.query({ tool, limit: 5 }) ?? { records: [] };
      return records.some(({ result }) => fits(result.value, result.failure?.message ?? ""));
    })
    .toBe(true);
}

test("an empty inbox says how to fill it, and the demo does", async () => {
  await visit("/inbox", async (page) => {
    await page.getByText("Nothing waits for you").waitFor();
    await page.getByText("every call asks first").waitFor();
    await page.getByRole("button", { name: "Run the demo" }).click();
    await page.waitForURL(/\/runs\/run_/);
    await expect.poll(async () => (await waits()).length).toBe(3);
  });
});

test("a call is denied with a reason by the keyboard, and that can be taken back for five seconds", async () => {
  await visit("/inbox", async (page) => {
    await card(page, "eve@evil.example").waitFor();
    await page.getByRole("link", { name: "Inbox 3 waiting" }).waitFor();
    const mail = card(page, "eve@evil.example");
    await mail.getByText("What its run read before").waitFor();
    await mail.getByRole("link", { name: "read_ticket" }).waitFor();
    await mail.click({ position: { x: 5, y: 5 } });
    await page.keyboard.press("d");
    await page.keyboard.type("who is eve?");
    await page.keyboard.press("Enter");
    await page.getByText("Denied.").waitFor();
    await page.keyboard.press("u");
    await mail.getByRole("button", { name: "Approve" }).waitFor();
    expect(await waits()).toHaveLength(3);

    await mail.getByRole("button", { name: "Deny" }).click();
    await page.keyboard.type("who is eve?");
    await page.keyboard.press("Enter");
    await letItBeSent(page);
    await recordOf("send_email", (_, message) => message.includes("who is eve?"));
  });
});

test("a question is answered in its form, a result is given in another, and the run goes on to its end", async () => {
  await visit("/inbox", async (page) => {
    const question = card(page, "How shall order 1042 be paid back?").first();
    await question.getByRole("button", { name: "Answer" }).click();
    await question.getByText("This is required.").waitFor();
    await question.getByLabel("way").selectOption("voucher");
    await question.getByLabel("euros").fill("90");
    await question.getByRole("button", { name: "Answer" }).click();

    const pickup = card(page, "order_pickup");
    await pickup.getByRole("button", { name: "Complete" }).click();
    await pickup.getByRole("button", { name: "Complete" }).click();
    await pickup.getByText("This is required.").waitFor();
    await pickup.getByLabel("tracking").fill("TR-7");
    await pickup.getByRole("button", { name: "Complete" }).click();
    await page.getByText("Completed.").waitFor();
    await letItBeSent(page);
    await recordOf("refund_order", (value) => value === "90 euros go back by voucher");
    await recordOf("order_pickup", (value) => (value as { tracking?: string })?.tracking === "TR-7");
    await page.getByText("Nothing waits for you").waitFor();
  });
  const runs = () => desk.shop.rig.store?.journal.runs({ ended: true }) ?? [];
  await expect.poll(() => runs().length).toBe(1);
});

test("a call is edited in a form made from its schema, and runs as it was edited", async () => {
  desk.shop.start();
  await visit("/inbox", async (page) => {
    const mail = card(page, "eve@evil.example").first();
    await mail.click({ position: { x: 5, y: 5 } });
    await page.keyboard.press("e");
    await mail.getByLabel("to", { exact: true }).fill("nobody");
    await mail.getByRole("button", { name: "Approve as edited" }).click();
    await mail.getByText("This is no email address.").waitFor();
    await mail.getByLabel("to", { exact: true }).fill("bob@firm.example");
    await mail.getByRole("button", { name: "JSON" }).click();
    expect(await mail.getByRole("textbox", { name: "Arguments" }).inputValue()).toContain(
      '"to": "bob@firm.example"',
    );
    await mail.getByRole("button", { name: "Approve as edited" }).click();
    await page.getByText('"to":"bob@firm.example"').waitFor();
    await letItBeSent(page);
    await recordOf("send_email", (value) => value === "sent to bob@firm.example");
  });
});

test("what comes while one reads is counted until it is asked for; one key approves, and what is cancelled is over", async () => {
  await visit("/inbox", async (page) => {
    await card(page, "order_pickup").waitFor();
    desk.shop.start();
    await page.getByRole("button", { name: "3 new" }).click();
    const mail = card(page, "eve@evil.example");
    await mail.click({ position: { x: 5, y: 5 } });
    await page.keyboard.press("a");
    await page.getByText("Approved.").waitFor();
    await card(page, "order_pickup").first().getByRole("button", { name: "Cancel" }).click();
    await letItBeSent(page);
    await recordOf("send_email", (value) => value === "sent to eve@evil.example");
    await recordOf("order_pickup", (_, message) => message !== "");
  });
});

test("a decision that did not count is told, on whatever page one is by then", async () => {
  desk.shop.start();
  const mail = async () => (await waits()).find(({ name }) => name === "send_email");
  await expect.poll(mail).toBeDefined();
  await visit(
    "/inbox",
    async (page) => {
      const one = card(page, "eve@evil.example");
      await one.getByRole("button", { name: "Approve" }).click();
      await desk.shop.rig.approvals?.deny((await mail())?.executionId ?? "", { by: { id: "ann" } });
      await page.keyboard.press("g");
      await page.keyboard.press("f");
      await page.getByRole("heading", { name: "Failures" }).waitFor();
      await letItBeSent(page);
      await page.getByText("Did not count: Approved.").waitFor();
      await page.getByRole("button", { name: "Dismiss" }).click();
      expect(await page.getByText("Did not count").count()).toBe(0);
    },
    [/409/],
  );
});

test("the tools are listed with how they do, and found", async () => {
  await visit("/tools", async (page) => {
    await page.getByRole("row", { name: /find_orders/ }).waitFor();
    expect(await page.getByRole("row").count()).toBe(11);
    await page.keyboard.press("/");
    await page.keyboard.type("exchange");
    await page.waitForURL(/q=exchange/);
    await expect.poll(() => page.getByRole("row").count()).toBe(2);
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/tools\/get_rate/);
  });
});

test("a tool is tried in a form; the result is shown and leads to its call", async () => {
  await visit("/tools/find_orders", async (page) => {
    const form = page.getByRole("region", { name: "Try it" });
    await form.getByRole("button", { name: "Call find_orders" }).click();
    await form.getByText("This is required.").waitFor();
    await form.getByLabel("customer").fill("ada@firm.example");
    await form.getByLabel("limit").fill("3");
    await form.getByRole("button", { name: "Call find_orders" }).click();
    await form.getByText("packed").waitFor();
    await form.getByRole("link", { name: /whole story/ }).click();
    await page.waitForURL(/call=exec_/);
    await page.keyboard.press("Escape");
    await form
      .getByRole("button", { name: /bob@firm.example/ })
      .first()
      .click();
    expect(await form.getByLabel("customer").inputValue()).toBe("bob@firm.example");
  });
});

test("a tool that asks is tried: the call waits, and says where it is answered", async () => {
  await visit("/tools/order_pickup", async (page) => {
    const form = page.getByRole("region", { name: "Try it" });
    await form.getByLabel("order").fill("1042");
    await form.getByLabel("day").selectOption("today");
    await form.getByRole("button", { name: "Call order_pickup" }).click();
    await form.getByRole("link", { name: "Answer it in the inbox" }).waitFor();
  });
});

test("what the model is told of a tool is said in other words, and taken back", async () => {
  await visit("/tools/get_rate", async (page) => {
    await page.getByRole("button", { name: "Say it in other words" }).click();
    await page.getByLabel("What the model is told").fill("How much is it over there?");
    await page.getByRole("button", { name: "Tell it so from now on" }).click();
    await page.getByText("Overridden.").waitFor();
    expect(desk.shop.rig.store?.descriptions.get("get_rate")).toBeDefined();
    await page.getByRole("button", { name: "Back to its own" }).click();
    await page.getByText("Get the rate of exchange").first().waitFor();
  });
});

test("failures are by kind, what is unknown first, and one click shows an example", async () => {
  await visit("/failures", async (page) => {
    await page.getByRole("heading", { name: /Nobody knows whether it happened/ }).waitFor();
    expect(await page.locator("section.failure-kind").first().getAttribute("class")).toContain(
      "failure-unknown",
    );
    await page.getByRole("button", { name: /policy/ }).click();
    await page.waitForURL(/blame=policy/);
    await expect.poll(() => page.locator("section.failure-kind").count()).toBe(1);
    await page.getByRole("link", { name: /cannot be taken back/ }).click();
    await page.waitForURL(/call=exec_/);
  });
});

test("the audit says that the chain holds, searches by address and exports what is shown", async () => {
  await visit("/audit?kind=denied", async (page) => {
    await page.getByText(/chain intact from/).waitFor();
    const rows = page.getByRole("table", { name: "Records" }).getByRole("row");
    await expect.poll(() => rows.count()).toBeGreaterThan(1);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Export NDJSON" }).click(),
    ]);
    const lines = readFileSync(await download.path(), "utf8")
      .trim()
      .split("\n");
    expect(lines).toHaveLength((await rows.count()) - 1);
    expect(lines.every((line) => line.includes('"denied"'))).toBe(true);
    await page.getByLabel("Words in arguments, content or failure").fill("no such words anywhere");
    await page.getByText("No record fits").waitFor();
    await page.getByRole("link", { name: "Show all records" }).click();
    await page.waitForURL(/\/audit$/);
  });
});

test("a fleet that is not there is told how to be started", async () => {
  await visit("/fleet", async (page) => {
    await page.getByText("There is no fleet").waitFor();
    await page.getByText("nats-server --jetstream").waitFor();
  });
});

test("the policy explains a call that would be denied once its run has read from outside", async () => {
  await visit("/policy", async (page) => {
    await page.getByLabel("Tool", { exact: true }).selectOption("publish_note");
    await page.getByLabel("title").fill("Hello");
    await page.getByLabel("text").fill("Everybody");
    await page.clock.fastForward(300);
    await page.getByRole("heading", { name: "Allowed" }).waitFor();
    await page.getByLabel("untrusted").check();
    await page.clock.fastForward(300);
    await page.getByRole("heading", { name: "Denied" }).waitFor();
    await page.getByText("nothing from outside is published").first().waitFor();
    expect(page.url()).toContain("labels=untrusted");
  });
});

test("what a stranger wrote is shown as it is, however long, and breaks nothing", async () => {
  const names = Array.from({ length: 200 }, (_, index) => [`field_${index}`, { type: "string" }] as const);
  desk.shop.rig.registry.add(
    tool({
      name: "hostile",
      description: `<img src=x onerror=alert(1)> ${"unbroken".repeat(200)} שלום עולם 👩‍👩‍👧‍👦 ann\u202emoc.live`,
      input: { type: "object", properties: Object.fromEntries(names) },
      safety: { sideEffects: "external" },
      approval: true,
      execute: () => "<script>alert(1)</script>\n".repeat(200_000),
    }),
  );
  const args = Object.fromEntries(
    names.map(([name], index) => [name, index === 0 ? "<b>\u202e".repeat(900) : "مرحبا"]),
  );
  const held = desk.shop.rig.call({ id: "1", name: "hostile", arguments: args });
  await expect.poll(async () => (await waits()).some(({ name }) => name === "hostile")).toBe(true);
  await visit("/inbox", async (page) => {
    page.on("dialog", (dialog) => expect.unreachable(dialog.message()));
    const one = card(page, "hostile").first();
    await one.getByText("field_199", { exact: true }).waitFor();
    expect(await one.textContent()).not.toMatch(/\u202e/);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await widestOverflow(page)).toBe(0);
    await page.screenshot({ path: join(PICTURES, "hostile-inbox-390.png") });
    await one.getByRole("button", { name: "Edit" }).click();
    await one.getByRole("button", { name: "Approve as edited" }).click();
    await letItBeSent(page);
    expect((await held).isError).toBe(false);
    await page.goto(`${desk.url}/tools/hostile`);
    await page
      .getByRole("region", { name: "Try it" })
      .getByRole("button", { name: "Show 188 more fields" })
      .click();
    expect(await widestOverflow(page)).toBe(0);
    await page.screenshot({ path: join(PICTURES, "hostile-tool-390.png") });
  });
});

test("what is folded is shown before it is approved", async () => {
  const lines = Array.from({ length: 42 }, (_, index) =>
    index === 40 ? "delete everything" : `line ${index}`,
  );
  desk.shop.rig.registry.add(
    tool({
      name: "announce",
      description: "Announce",
      input: { type: "object", properties: { text: { type: "string" } } },
      safety: { sideEffects: "external" },
      approval: true,
      execute: () => "announced",
    }),
  );
  const held = desk.shop.rig.call({ id: "1", name: "announce", arguments: { text: lines.join("\n") } });
  await expect.poll(async () => (await waits()).some(({ name }) => name === "announce")).toBe(true);
  await visit("/inbox", async (page) => {
    const one = card(page, "announce").first();
    await one.getByText("The first press shows all of it, the second approves.").waitFor();
    expect(await one.getByText("delete everything").count()).toBe(0);
    await one.screenshot({ path: join(PICTURES, "real-inbox-folded.png") });
    await one.click({ position: { x: 5, y: 5 } });
    await page.keyboard.press("a");
    await one.getByText("delete everything").waitFor();
    await one.getByText("Press again to approve.").waitFor();
    const beyond = await one
      .locator("pre")
      .evaluate(({ scrollHeight, clientHeight, scrollWidth, clientWidth }) => [
        scrollHeight - clientHeight,
        scrollWidth - clientWidth,
      ]);
    expect(beyond).toEqual([0, 0]);
    await one.screenshot({ path: join(PICTURES, "real-inbox-unfolded.png") });
    expect(await page.getByText("Approved.").count()).toBe(0);
    await page.keyboard.press("a");
    await page.getByText("Approved.").waitFor();
    await letItBeSent(page);
    expect((await held).value).toBe("announced");
  });
});

test("an answer that was begun is there again for whoever does not decline after all", async () => {
  desk.shop.start();
  await visit("/inbox", async (page) => {
    const question = card(page, "How shall order 1042 be paid back?").first();
    await question.getByLabel("euros").fill("90");
    await question.click({ position: { x: 5, y: 5 } });
    await page.keyboard.press("d");
    await question.getByPlaceholder("Why not? The tool is told.").waitFor();
    await page.keyboard.press("Escape");
    expect(await question.getByLabel("euros").inputValue()).toBe("90");
  });
});

test("who may only read is told so beside a button that cannot be pressed", async () => {
  const token = "a-token-of-somebody-who-reads";
  const sha256 = createHash("sha256").update(token).digest("hex");
  const served = await desk.shop.rig.serve({
    port: 0,
    tokens: [{ sha256, principal: { id: "reader" }, scopes: ["read"] }],
  });
  try {
    await using opened = await openPage(browser, `${served.url}/tools/find_orders#token=${token}`);
    await opened.page.getByText("Your token may not make calls").waitFor();
    expect(await opened.page.getByRole("button", { name: "Call find_orders" }).isDisabled()).toBe(true);
  } finally {
    await served.close("1s");
  }
});

test("on a phone every page can be reached, and the filters of the audit are in sight", async () => {
  await visit("/audit", async (page) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator("tbody tr").first().waitFor();
    await page.screenshot({ path: join(PICTURES, "real-phone-audit.png") });
    for (const field of await page.locator(".filters > *:visible").all()) await expectInSight(field, 390);
    for (const link of await page.getByRole("navigation").getByRole("listitem").all())
      await expectInSight(link, 390);
    await page.getByRole("link", { name: "Policy" }).click();
    await page.getByText("Ask about a call before anybody makes it").waitFor();
    await page.screenshot({ path: join(PICTURES, "real-phone-policy.png") });
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.screenshot({ path: join(PICTURES, "real-policy-empty.png") });
  });
});

async function expectInSight(element: Locator, width: number): Promise<void> {
  const box = await element.boundingBox();
  expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 0) <= width, await element.innerHTML()).toBe(
    true,
  );
}

/** Pages, and what is there once they are. */
const PAGES = {
  "/inbox": "article.card",
  "/tools": "tbody tr",
  "/tools/send_email": ".try-it",
  "/failures": "tbody tr",
  "/audit": "tbody tr",
  "/fleet": ".fleet-none",
  "/policy?tool=find_orders&args=%7B%22customer%22%3A%22bob%40firm.example%22%7D": ".policy-answer",
};

test("every page is fit for everybody in both themes, and fits at every width", async () => {
  desk.shop.start();
  await expect.poll(async () => (await waits()).length).toBeGreaterThan(2);
  for (const [path, there] of Object.entries(PAGES))
    await visit(path, async (page) => {
      await page.locator(there).first().waitFor();
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        expect(await seriousFindings(page), path).toEqual([]);
        for (const width of [1440, 1024, 390]) {
          await page.setViewportSize({ width, height: 900 });
          expect(await widestOverflow(page), `${path} at ${width}`).toBe(0);
          const name = `real${path.replace(/\?.*/, "").replace(/\W+/g, "-")}-${colorScheme}-${width}.png`;
          await page.screenshot({ path: join(PICTURES, name) });
        }
      }
    });
});

/** By how many pixels a page is wider than its window. */
function widestOverflow(page: Page): Promise<number> {
  return page.evaluate(() =>
    Math.max(
      0,
      ...[...document.querySelectorAll(".page")].map((each) => each.scrollWidth - each.clientWidth),
    ),
  );
}
