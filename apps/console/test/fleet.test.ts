import { connect } from "@nats-io/transport-node";
import { NatsWorker } from "@toolrig/nats";
import { afterAll, expect, test } from "vitest";
import { fleetView } from "../../../packages/cli/src/commands/serve/fleet-view.ts";
import { rig, tool } from "../../../packages/cli/src/index.ts";
import { startNats } from "../../../scripts/start-nats.ts";
import { launchBrowser, openPage } from "./fixture/browser.ts";

const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

const greet = tool({
  name: "greet",
  description: "Greet somebody",
  input: { type: "object" },
  safety: { sideEffects: "none", idempotent: true },
  execute: () => "hello",
});

test("dead letters of a real fleet are shown and dropped on its page", async () => {
  const nats = await startNats();
  ends.push(() => nats.close());
  const at = { nats: { servers: nats.url } };
  const worker = new NatsWorker({ ...at, tools: [greet] });
  await worker.start();
  ends.push(() => worker.stop("1s"));
  const fleet = await fleetView(at);
  const own = rig({ tools: [greet] });
  const http = await own.serve({ port: 0, fleet, mcp: false });
  ends.push(
    () => fleet.close(),
    () => own.close(),
    () => http.close(0),
  );
  const wire = await connect(at.nats);
  wire.publish("tool.execute.greet", "no call at all");
  await wire.drain();
  await expect.poll(() => fleet.deadLetters(10)).toHaveLength(1);

  const browser = await launchBrowser();
  ends.push(() => browser.close());
  await using open = await openPage(browser, `${http.url}/fleet`);
  const { page, complaints } = open;
  await page.getByText("1 worker, nothing waits, 1 dead letter.").waitFor();
  await page.locator(".queues").getByText("greet", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Drop" }).click();
  await page.getByRole("button", { name: "Really drop" }).click();
  await page.getByText("1 worker, nothing waits.").waitFor();
  expect(complaints).toEqual([]);
});
