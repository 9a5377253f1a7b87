import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Executor, tool } from "@toolrig/core";
import { afterAll, expect, test } from "vitest";
import { openStore } from "./open-store.ts";

const folder = mkdtempSync(join(tmpdir(), "toolrig-background-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HOUR = 3_600_000;

/** One process on a file, whose clock is ahead by so many milliseconds. */
function start(path: string, aheadMs: number, execute: () => unknown) {
  const { ledger, waits, close } = openStore(path);
  const work = tool({
    name: "work",
    description: "Work in the background",
    input: { type: "object" },
    background: "1ms",
    execute,
  });
  const clock = {
    now: () => Date.now() + aheadMs,
    set: (callback: () => void, ms: number) => setTimeout(callback, ms),
    clear: (timer: unknown) => clearTimeout(timer as NodeJS.Timeout),
  };
  const executor = new Executor({ tools: [work], ledger, waits, clock });
  const call = (onWaiting: "return" | "hold") =>
    executor.call({ id: "c", name: "work", arguments: {} }, { executionId: "exec_1", onWaiting });
  const stop = async () => {
    await executor.stop();
    close();
  };
  return { executor, waits, call, stop };
}

test("a call in the background of a living process is not lost to one whose clock is ahead", async () => {
  const path = join(folder, "ahead.db");
  let finish = (_: string) => {};
  const one = start(path, 0, () => new Promise((resolve) => (finish = resolve)));
  const waiting = await one.call("return");
  expect(waiting.waiting?.kind).toBe("background");
  const other = start(path, HOUR, () => "ran a second time");
  other.executor.waits.start();
  const seen = () => one.waits.list({ executionId: "exec_1" })[0];
  await expect.poll(() => (seen()?.nextAt ?? 0) > Date.now() + HOUR / 2).toBe(true);
  expect(seen()?.end).toBeUndefined();
  const held = one.call("hold");
  finish("done");
  expect((await held).value).toBe("done");
  await other.stop();
  await one.stop();
});
