import { mcpServer } from "@toolrig/mcp";
import { openRig } from "../../config/open-rig.ts";
import { packageVersion } from "../../shell/package-version.ts";
import { userName } from "../../shell/user-name.ts";
import { note } from "../../terminal/output.ts";

/**
 * Serves the configured tools to the MCP client that started this process, until standard input ends. The person at the client
 * is the user of the machine: what they answer to an approval counts as theirs.
 */
export async function serveStdio(configFile: string | undefined): Promise<number> {
  const rig = await openRig(configFile);
  const served = mcpServer(rig, {
    version: packageVersion(),
    views: { all: { principal: { id: "mcp" }, approver: { id: userName(undefined) } } },
    onError: ({ message }) => note(message, "warn"),
  });
  await served.stdio();
  await served.close();
  await rig.close("1s");
  return 0;
}
