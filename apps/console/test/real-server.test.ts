import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser, openPage } from "./fixture/browser.ts";
import { type Desk, openDesk } from "./fixture/desk.ts";
import { CONSOLE } from "./fixture/server.ts";

/** The console on the real server: what the browser has to fetch, and what comes of a real agent's calls. */

let browser: Browser;
let desk: Desk;
beforeAll(async () => {
  [browser, desk] = await Promise.all([launchBrowser(), openDesk()]);
});
afterAll(async () => {
  await browser?.close();
  await desk?.[Symbol.asyncDispose]();
});

test("a first load is below 150 kB, compressed, with every page of the console after it", async () => {
  await using opened = await openPage(browser, "about:blank");
  const files = new Set<string>();
  opened.page.on("request", (request) => files.add(new URL(request.url()).pathname));
  await opened.page.goto(desk.url);
  await opened.page.getByText("No calls yet").waitFor();
  const sizeOf = (file: string) => gzipSync(readFileSync(join(CONSOLE, file))).length;
  const fetched = [...files].filter((file) => file.startsWith("/assets/"));
  const first = ["/index.html", ...fetched].reduce((sum, file) => sum + sizeOf(file), 0);
  const all = readdirSync(join(CONSOLE, "assets")).reduce((sum, file) => sum + sizeOf(`/assets/${file}`), 0);
  console.log(
    `first load ${first.toLocaleString("en-US")} B, all pages ${all.toLocaleString("en-US")} B, gzip`,
  );
  expect(fetched.length).toBeGreaterThan(1);
  expect(all).toBeLessThan(150_000);
});

test("nothing in the page is inline, so that the strictest policy holds", () => {
  const page = readFileSync(join(CONSOLE, "index.html"), "utf8");
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=/);
});

test("a real agent's calls appear live, and each tells its story", async () => {
  await using opened = await openPage(browser, desk.url);
  const { page } = opened;
  await page.getByText("No calls yet").waitFor();
  await page.getByRole("button", { name: "Run the demo" }).click();
  await page.waitForURL(/\/runs\/run_/);
  await page.locator(".bar-row", { hasText: "find_orders" }).waitFor();
  await page.locator(".bar-row .segment-approval").waitFor();
  await page.reload();
  await page.locator(".bar-row", { hasText: "find_orders" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("l");
  const call = (name: string) =>
    page.locator(".call-row", { has: page.getByText(name, { exact: true }) }).first();
  await call("cancel_label").click();
  await page.locator(".outcome.loud").waitFor();
  await page.keyboard.press("Escape");
  await call("find_orders").click();
  await page.getByText("What the model wrote").waitFor();
  expect(await page.locator("mark.removed").count()).toBeGreaterThan(0);
  expect(opened.complaints).toEqual([]);
});

test("a server that wants a token is asked once, then waits for a person, who is told so in words", async () => {
  const sha256 = createHash("sha256").update("a-token-that-nobody-guesses").digest("hex");
  const locked = await desk.shop.rig.serve({ port: 0, tokens: [{ sha256, principal: { id: "ann" } }] });
  try {
    await using opened = await openPage(browser, "about:blank");
    const { page } = opened;
    await page.clock.install();
    const refused: string[] = [];
    page.on("response", (response) => response.status() === 401 && refused.push(response.url()));
    await page.goto(`${locked.url}/inbox`);
    await page.getByText("This server wants a token.").waitFor();
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    await opened.settled();
    for (let minute = 0; minute < 3; minute++) await page.clock.runFor(20_000);
    await opened.settled();
    expect(refused).toEqual([`${locked.url}/api/v1/server`]);
    expect(await page.getByText(/Bearer/).count()).toBe(0);
    await page.getByLabel("Token").fill("mistyped");
    await page.getByRole("button", { name: "Unlock" }).click();
    await page.getByText("does not take this token").waitFor();
    await opened.settled();
    expect(refused).toHaveLength(2);
  } finally {
    await locked.close("1s");
  }
});

test("a server that wants a token is unlocked by the form or by the address, and no link has it", async () => {
  const token = "a-token-that-nobody-guesses";
  const sha256 = createHash("sha256").update(token).digest("hex");
  const locked = await desk.shop.rig.serve({ port: 0, tokens: [{ sha256, principal: { id: "ann" } }] });
  try {
    await using opened = await openPage(browser, locked.url);
    const { page } = opened;
    await page.getByText("Locked").waitFor();
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Unlock" }).click();
    await page.getByText("ann ·").waitFor();
    await page.locator(".call-row").first().waitFor();
    expect(await page.getByText("Locked").count()).toBe(0);

    await using other = await openPage(browser, `${locked.url}/runs#token=${token}`);
    await other.page.getByText("ann ·").waitFor();
    expect(other.page.url()).toBe(`${locked.url}/runs`);
    expect(other.complaints).toEqual([]);
  } finally {
    await locked.close("1s");
  }
});
