import { spawnSync } from "node:child_process";
import { messageOf } from "@toolrig/core/kit";
import { NatsExecutor } from "@toolrig/nats";
import { callerAt } from "../../config/fleet-at.ts";
import type { Loaded } from "../../config/load-settings.ts";
import type { Finding } from "./finding.ts";

/** Whether the server that is configured can be used, and who works there. Without one, whether a program could be started. */
export async function checkFleet(settings: Loaded): Promise<Finding> {
  if (settings.nats === undefined && !process.env.NATS_URL) return notUsed();
  try {
    const executor = await NatsExecutor.connect(callerAt({}, settings));
    try {
      const workers = (await executor.fleet()).workers().length;
      const message = `connected; ${workers === 0 ? "no worker is" : `${workers} workers are`} alive`;
      if (workers > 0) return { status: "ok", check: "nats", message };
      return { status: "warn", check: "nats", message, fix: "Start one: toolrig worker" };
    } finally {
      await executor.close();
    }
  } catch (error) {
    const fix = "Start one: nats-server -js (docs/operating-nats.md says how to install it).";
    return { status: "fail", check: "nats", message: messageOf(error), fix };
  }
}

function notUsed(): Finding {
  const { stdout, error } = spawnSync("nats-server", ["--version"], { encoding: "utf8", timeout: 10_000 });
  const installed = error === undefined ? `${stdout.trim()} is installed` : "nats-server is not installed";
  return {
    status: "ok",
    check: "nats",
    message: `no server configured, which only a fleet needs; ${installed}`,
  };
}
