/** The chat in a real browser, started as a reader would start it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "../apps/console/test/fixture/browser.ts";
import { HANG_MS } from "../scripts/hang-limit.ts";

let server: ChildProcess;
let browser: Browser;
let page: Page;
let url: string;

beforeAll(async () => {
  const program = join(import.meta.dirname, "../scripts/example.ts");
  const started = spawn("node", [program, "chat"], { stdio: ["ignore", "pipe", "inherit"] });
  server = started;
  [browser, [url]] = await Promise.all([launchBrowser(), once(started.stdout.setEncoding("utf8"), "data")]);
  url = url.trim();
  page = await browser.newPage();
  page.setDefaultTimeout(HANG_MS);
});

afterAll(async () => {
  await browser?.close();
  server?.kill();
});

test("a message is sent, the approval is shown and given, and the answer streams in", async () => {
  await page.goto(url);
  await say("Order 1234 came broken.");
  const question = page.locator(".question");
  await question.waitFor();
  expect(await question.innerText()).toContain('{"order":"1234","amount":20}');
  expect(await page.locator(".model").allInnerTexts()).toEqual(["I can refund order 1234 for you."]);

  await page.evaluate(() => {
    const seen = new Set<string>();
    Object.assign(globalThis, { seen });
    const talk = document.querySelector("#talk") as HTMLElement;
    new MutationObserver(() => seen.add(talk.lastElementChild?.textContent ?? "")).observe(talk, {
      childList: true,
      subtree: true,
    });
  });
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByText("Done. The 20 of order 1234 are on their way back.").waitFor();
  expect(await page.getByText("refund_order ran").count()).toBe(1);
  expect(await question.count()).toBe(0);
  const seen = await page.evaluate(() => [...(globalThis as unknown as { seen: Set<string> }).seen]);
  expect(seen.filter((text) => text.startsWith("Done.")).length).toBeGreaterThan(2);
});

test("what is denied does not run", async () => {
  await page.goto(url);
  await say("Order 1234 came broken.");
  await page.getByRole("button", { name: "Deny" }).click();
  await page.getByText("All right, I have left order 1234 as it is.").waitFor();
  expect(await page.getByText("refund_order did not run").count()).toBe(1);
});

test("no other page and no other name is let in, and what is malformed is told", async () => {
  const post = (headers: Record<string, string>, body = '{"text":"hi"}') =>
    fetch(`${url}/chats/1`, { method: "POST", headers, body });
  const json = { "content-type": "application/json" };
  expect((await post({ origin: "http://evil.example", "content-type": "text/plain" })).status).toBe(403);
  expect((await fetch(url.replace("127.0.0.1", "localhost"))).status).toBe(421);
  expect((await post(json, "{}")).status).toBe(400);
  const unknown = await fetch(`${url}/approvals/1`, {
    method: "POST",
    headers: json,
    body: '{"approve":true}',
  });
  expect(unknown.status).toBe(400);
});

async function say(text: string): Promise<void> {
  await page.getByLabel("Message").fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}
