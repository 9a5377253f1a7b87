import type { Writable } from "node:stream";
import { mcpServer } from "@toolrig/mcp";
import { openRig } from "../../config/open-rig.ts";
import { recordPolicy } from "../../config/record-change.ts";
import { packageVersion } from "../../shell/package-version.ts";
import { userName } from "../../shell/user-name.ts";
import { cancelOnSignal } from "../../terminal/cancel-on-signal.ts";
import { note } from "../../terminal/output.ts";

/**
 * Serves the configured tools to the MCP client that started this process, until standard input ends or a signal comes: then the calls
 * under way are cancelled, answered and recorded. The person at the client is the user of the machine: what they answer to an approval
 * counts as theirs.
 */
export async function serveStdio(configFile: string | undefined, output: Writable): Promise<number> {
  const stopped = cancelOnSignal("Stopping: calls under way are cancelled; again to quit at once.", [
    "SIGINT",
    "SIGTERM",
    "SIGHUP",
  ]);
  const rig = await openRig(configFile);
  recordPolicy(rig);
  const served = mcpServer(rig, {
    version: packageVersion(),
    views: { all: { principal: { id: "mcp" }, approver: { id: userName(undefined) } } },
    onError: ({ message }) => note(message, "warn"),
  });
  const isStopped = new Promise<void>((resolve) => {
    stopped.addEventListener("abort", () => resolve(), { once: true });
    if (stopped.aborted) resolve();
  });
  const ended = served.stdio({ output });
  await Promise.race([ended, isStopped]);
  await served.close();
  await new Promise<void>((resolve) => {
    output.once("error", () => resolve()).end(resolve);
  });
  await rig.close("1s");
  return 0;
}
