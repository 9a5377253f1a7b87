/**
 * A test that kills the process of a tool at every stage.
 *
 *     npm run example crash-test
 *
 * The tool is in scenario.ts. It runs in a process of its own, which is killed with SIGKILL at each of its stages in turn and started
 * again. In a project of your own this is `node --test`; vitest does as well. You see:
 *
 *     ✔ one mail is sent, wherever the process is killed (…ms)
 *     ℹ killed before intent: 1 mail
 *     ℹ killed after intent: 1 mail
 *     ℹ killed before the mail: 1 mail
 *     ℹ killed after the mail: 1 mail
 *     ℹ killed before outcome: 1 mail
 *     ℹ killed after outcome: 1 mail
 *     …
 */
import assert from "node:assert";
import { test } from "node:test";
import type { ToolResult } from "@toolrig/core";
import { crashEverywhere } from "@toolrig/core/testing";
import { sentMails } from "./scenario.ts";

test("one mail is sent, wherever the process is killed", async (t) => {
  const module = new URL("./scenario.ts", import.meta.url);
  await crashEverywhere({ module }, ({ stage, restart, folder }) => {
    const mails = sentMails(folder).length;
    t.diagnostic(`killed ${stage}: ${mails} mail`);
    assert.equal(mails, 1);
    assert.equal((restart.answer as ToolResult).value, "sent to ada");
  });
});
