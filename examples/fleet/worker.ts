/** A worker of the fleet, as main.ts starts it: `node worker.ts nats://127.0.0.1:4222 1`. Any number may run, on any machine. */
import { setTimeout as sleep } from "node:timers/promises";
import { tool } from "@toolrig/core";
import { NatsWorker } from "@toolrig/nats";
import { z } from "zod";

const [servers = "nats://127.0.0.1:4222", number = "1"] = process.argv.slice(2);

const resizeImage = tool({
  name: "resize_image",
  description: "Resize an image",
  input: z.object({ file: z.string() }),
  safety: { sideEffects: "write", idempotent: true }, // may run again
  async execute({ file }, { signal }) {
    await takeTime(signal);
    return `${file} is small, says worker ${number}`;
  },
});

const sendMail = tool({
  name: "send_mail",
  description: "Send a mail",
  input: z.object({ to: z.string() }),
  safety: { sideEffects: "external" }, // may not
  async execute({ to }, { signal }) {
    await takeTime(signal);
    return `sent to ${to}, says worker ${number}`;
  },
});

const worker = new NatsWorker({ nats: { servers }, tools: [resizeImage, sendMail] });
await worker.start();
process.once("SIGTERM", () => worker.stop("30s"));
process.send?.("ready");

/** Tells main.ts, which wants to kill a worker that has something to do. */
function takeTime(signal: AbortSignal): Promise<void> {
  process.send?.("busy");
  return sleep(500, undefined, { signal });
}
