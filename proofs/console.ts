/** A feed of 10,000 calls a second: the page draws, answers its reader and holds no more at the end than at the beginning. */
import { launchBrowser, openPage } from "../apps/console/test/fixture/browser.ts";
import { FixtureServer } from "../apps/console/test/fixture/server.ts";
import { emptyWorld } from "../apps/console/test/fixture/world.ts";
import { flood } from "./console/flood.ts";
import { heldBy, watchFrames } from "./console/watch.ts";
import type { Proof } from "./proof.ts";

const PER_SECOND = 10_000;
/** So long before the first look at what the page holds: its lists are full then. */
const WARM_SECONDS = 2;
const FROZEN_MS = 1_000;
const MB = 1_000_000;

export const proof: Proof = {
  name: "console",
  claim: "10,000 calls a second do not freeze the console, nor does it hold more with time",
  async run(size, print) {
    const seconds = size === "full" ? 30 : 3;
    const browser = await launchBrowser();
    await using server = new FixtureServer(emptyWorld(Date.now()));
    await server.start();
    const tally = { passed: 0, failed: 0 };
    const check = (holds: boolean, words: string) => {
      tally[holds ? "passed" : "failed"] += 1;
      print(`${holds ? "held" : "MISS"}  ${words}`);
    };
    try {
      await using opened = await openPage(browser, server.url);
      const { page } = opened;
      await page.getByText("No calls yet").waitFor();
      const session = await page.context().newCDPSession(page);
      await session.send("Performance.enable");
      const warm = await flood(server, PER_SECOND, WARM_SECONDS);
      const before = await heldBy(session);
      const frames = await watchFrames(page);

      const flooding = flood(server, PER_SECOND, seconds);
      const asked = performance.now();
      await page.getByRole("button", { name: "Pause" }).click();
      await page.getByRole("button", { name: "Go on" }).click();
      const answered = performance.now() - asked;
      const ended = warm + (await flooding);
      const last = performance.now();
      const words = `${ended.toLocaleString("en-US")} ended`;
      const all = page.locator(".facts", { hasText: words });
      const counted = await all.waitFor().then(
        () => true,
        () => false,
      );
      const behind = performance.now() - last;
      const { p50, p95, p99, longest, frames: drawn } = await frames();
      const after = await heldBy(session);

      print(
        `${ended.toLocaleString("en-US")} calls in ${WARM_SECONDS + seconds} s; frames: ${drawn}, p50 ${p50.toFixed(1)} ms, ` +
          `p95 ${p95.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, longest ${longest.toFixed(1)} ms`,
      );
      print(
        `heap ${(before.heapBytes / MB).toFixed(1)} MB, then ${(after.heapBytes / MB).toFixed(1)} MB; ` +
          `nodes ${before.nodes}, then ${after.nodes}`,
      );
      check(counted, `every call was counted, ${behind.toFixed(0)} ms after the last was told`);
      const clicks = `two clicks in the middle of it were answered in ${answered.toFixed(0)} ms`;
      if (size === "full") {
        check(longest < FROZEN_MS, `no two frames were ${FROZEN_MS} ms apart`);
        check(answered < 2 * FROZEN_MS, clicks);
      } else {
        // On a machine that does much else at once frames are late that are not the page's fault.
        print(clicks);
      }
      check(after.heapBytes < before.heapBytes * 1.25 + 5 * MB, "what it holds did not grow");
      check(after.nodes < before.nodes * 1.25 + 1_000, "nor did the elements on the page");
      check(opened.complaints.length === 0, `it complained of nothing ${opened.complaints.join("; ")}`);
    } finally {
      await browser.close();
    }
    return tally;
  },
};
