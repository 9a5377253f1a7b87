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

test("a message is sent, the approval is answered in the chat, and the answer streams in", async () => {
  await page.goto(url);
  await say("Order 1234 came broken.");
  const question = page.locator(".question");
  await question.waitFor();
  expect(await question.innerText()).toContain('{"order":"1234","amount":20}');
  expect(await page.locator(".assistant").allInnerTexts()).toEqual(["I can refund order 1234 for you."]);

  await page.evaluate(() => {
    const seen = new Set<string>();
    Object.assign(globalThis, { seen });
    const talk = document.querySelector("main") as HTMLElement;
    new MutationObserver(() => seen.add(talk.lastElementChild?.textContent ?? "")).observe(talk, {
      characterData: true,
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

test("what is denied does not run, and the chat goes on", async () => {
  await page.goto(url);
  await say("Order 1234 came broken.");
  await page.getByRole("button", { name: "Deny" }).click();
  await page.getByText("All right, I have left order 1234 as it is.").waitFor();
  expect(await page.getByText("refund_order did not run").count()).toBe(1);
  await say("Then refund it after all.");
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByText("Done. The 20 of order 1234 are on their way back.").waitFor();
});

test("no other page and no other name is let in, and malformed requests are refused", async () => {
  const post = (headers: Record<string, string>, body: unknown) =>
    fetch(`${url}/chat`, { method: "POST", headers, body: JSON.stringify(body) });
  const json = { "content-type": "application/json" };
  const messages = (role: string, ...parts: object[]) => ({ id: "c", messages: [{ id: "m", role, parts }] });
  const hello = messages("user", { type: "text", text: "hi" });
  expect((await post({ origin: "http://evil.example", "content-type": "text/plain" }, hello)).status).toBe(
    403,
  );
  expect((await fetch(url.replace("127.0.0.1", "localhost"))).status).toBe(421);
  expect((await post(json, {})).status).toBe(400);
  const approval = { id: "unknown", approved: true };
  const answered = {
    type: "tool-refund_order",
    toolCallId: "c1",
    state: "approval-responded",
    input: {},
    approval,
  };
  expect((await post(json, messages("assistant", answered))).status).toBe(400);
});

test("a chat cannot answer what another chat was asked", async () => {
  const send = (id: string, message: object) =>
    fetch(`${url}/chat`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ id, messages: [message] }),
    });
  const hello = (id: string) => send(id, { id: "m", role: "user", parts: [{ type: "text", text: "hi" }] });
  const asked = await (await hello("of ann")).text();
  await (await hello("of bob")).text();
  const approvalId = /"approvalId":"([^"]+)"/.exec(asked)?.[1] ?? "";
  const part = {
    type: "tool-refund_order",
    toolCallId: "c1",
    state: "approval-responded",
    input: {},
    approval: { id: approvalId, approved: true },
  };
  const answer = (id: string) => send(id, { id: "m", role: "assistant", parts: [part] });
  const refused = await answer("of bob");
  expect([refused.status, await refused.text()]).toEqual([400, "This chat did not ask that."]);
  expect((await answer("of ann")).status).toBe(200);
});

async function say(text: string): Promise<void> {
  await page.getByLabel("Message").fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}
