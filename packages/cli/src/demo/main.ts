/** `npm start`: the console over a support desk whose agent is scripted. Everything in it is real but the model. */
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ToolrigError } from "@toolrig/core";
import { parseDuration } from "@toolrig/core/kit";
import type { ServedHttp, ServeOptions } from "@toolrig/server";
import { packageVersion } from "../shell/package-version.ts";
import { cancelOnSignal } from "../terminal/cancel-on-signal.ts";
import { note, print } from "../terminal/output.ts";
import { surviveBrokenPipes } from "../terminal/streams.ts";
import { openShop, type Shop } from "./shop.ts";

/** A timer that nobody watches would fill the inbox: it starts no more while so many things wait. */
const MAX_WAITING = 12;

surviveBrokenPipes();
try {
  await main();
} catch (error) {
  if (!ToolrigError.isInstance(error) && !isWrongUsage(error)) throw error;
  note(error.message, "bad");
  process.exitCode = 2;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: "7420" },
      data: { type: "string", default: ".toolrig" },
      every: { type: "string" },
    },
  });
  const everyMs = values.every === undefined ? undefined : parseDuration(values.every, "--every");
  mkdirSync(values.data, { recursive: true });
  const shop = openShop(join(values.data, "demo.db"));
  const demo = { start: async () => shop.start().runId };
  const served = await serveOrClose(shop, { port: Number(values.port), version: packageVersion(), demo });
  tellWhatToDo(served.url, values.data);
  shop.resumeAll();
  if ((await shop.rig.waits.list({ open: true, limit: 1 })).length === 0) shop.start();
  const timer = everyMs === undefined ? undefined : setInterval(() => void startAgain(shop), everyMs);

  const stopped = cancelOnSignal("Stopping. Runs that wait go on the next time.");
  if (!stopped.aborted) await once(stopped, "abort");
  clearInterval(timer);
  await served.close("1s");
  await shop.rig.close("1s");
}

async function serveOrClose({ rig }: Shop, options: ServeOptions): Promise<ServedHttp> {
  try {
    return await rig.serve(options);
  } catch (error) {
    await rig.close();
    throw error;
  }
}

/** What `parseArgs` throws. */
function isWrongUsage(error: unknown): error is Error {
  return error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}

async function startAgain(shop: Shop): Promise<void> {
  if ((await shop.rig.waits.list({ open: true, limit: MAX_WAITING })).length < MAX_WAITING) shop.start();
}

function tellWhatToDo(url: string, data: string): void {
  print(
    [
      "",
      `  Toolrig's console: ${url}`,
      "",
      "  The agent of a small shop's support desk is at work. It is scripted, and was told to",
      "  make its mistakes; the rest is real. Look at",
      "",
      `    ${url}/           its calls, as they run: repaired, retried, denied, unknown`,
      `    ${url}/inbox      what waits for you: an email, a question, a parcel`,
      `    ${url}/tools      what it can do; try one yourself`,
      "",
      "  Answer what waits, and the agent goes on. A button on the page of runs starts another;",
      "  npm start -- --every 1m starts one a minute.",
      "",
      `  Everything is kept in ${data}. Ctrl-C ends it. The same in the terminal: npm run tour`,
      "",
    ].join("\n"),
  );
}
