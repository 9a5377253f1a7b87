import { resolve } from "node:path";
import { ToolrigError } from "@toolrig/core";
import { defined, globalTools, messageOf } from "@toolrig/core/kit";
import type { ServedHttp } from "@toolrig/server";
import { CONFIG_OPTION, loadSettings } from "../config/load-settings.ts";
import { settled } from "../config/mcp-settings.ts";
import { readAnew, readFiles } from "../config/module-hooks.ts";
import { rigOf } from "../config/open-rig.ts";
import { findOwnConfig } from "../config/own-config.ts";
import { projectFiles } from "../config/project-files.ts";
import type { Rig } from "../rig/rig.ts";
import { command } from "../shell/command.ts";
import { packageVersion } from "../shell/package-version.ts";
import { CallLines } from "../terminal/call-lines.ts";
import { cancelOnSignal } from "../terminal/cancel-on-signal.ts";
import { counted } from "../terminal/counted.ts";
import { note, print, printJson } from "../terminal/output.ts";
import { changedAt, whenChanged } from "./dev/when-changed.ts";
import { portOf, tokensOf } from "./serve.ts";

/** How long calls may take that were under way when something changed. */
const GRACE = "10m";

interface Live {
  rig: Rig;
  served: ServedHttp;
}

export const dev = command({
  name: "dev",
  positionals: [],
  options: {
    ...CONFIG_OPTION,
    port: {
      type: "string",
      value: "PORT",
      describe: "the port to listen on, 0 for a free one (default: 7420)",
    },
  },
  details: [
    "As toolrig serve on loopback, with a line on stderr for each call. When the config, or a file of the project that it",
    "imports, is saved, both are read anew: calls under way end with the tools as they were, new ones have the new. What cannot",
    "be read is told, and the last that could goes on. Packages, and files written in CommonJS, are read once. Ends on Ctrl-C.",
  ].join("\n"),
  examples: ["toolrig dev", "toolrig dev --port 0 --verbose"],

  async run({ values }) {
    const file = values.config === undefined ? findOwnConfig(process.cwd()) : resolve(values.config);
    if (file === undefined)
      throw new ToolrigError(
        "OPTION_INVALID",
        "dev needs a config: toolrig init writes one, with a sample tool.",
      );
    const ended = cancelOnSignal("Stopping: calls under way are cancelled; again to quit at once.");
    const calls = new CallLines(values.verbose === true);
    let port = portOf(values.port ?? "7420");
    let live: Live | undefined;
    const leaving = new Set<Live>();
    let known: ReadonlyMap<string, number> = new Map();
    while (!ended.aborted) {
      const before = new Map([file, ...known.keys()].map((each) => [each, changedAt(each)]));
      const next = await opened(file);
      // What could not be read may have gone: that it comes back counts, too.
      known = next === undefined ? new Map([...before, ...readFiles()]) : readFiles();
      if (next !== undefined) {
        if (live !== undefined) void leave(live, leaving);
        next.events.on((event) => calls.show(event));
        const isFirst = live === undefined;
        live = { rig: next, served: await serve(next, port, file) };
        port = live.served.port;
        if (isFirst) tell(live.served, values.json === true);
        note(
          `${counted(next.tools.tools().length, "tool")}, from ${counted(known.size, "file")} under watch.`,
          "dim",
        );
      } else if (live !== undefined) note("Until that is mended, the tools are as they were.", "warn");
      const changed = await whenChanged(known, { folders: next === undefined, signal: ended });
      if (!ended.aborted) note(`Changed: ${changed.join(", ")}`, "dim");
    }
    await Promise.all([...leaving, ...(live === undefined ? [] : [live])].map(stop));
    return 0;
  },
});

/** The rig as the files are now; undefined, and told, when they cannot be read. */
async function opened(file: string): Promise<Rig | undefined> {
  const registered = globalTools.tools();
  globalTools.removeProvider("process");
  readAnew();
  try {
    const rig = rigOf(await loadSettings(file));
    await settled(rig.mcp);
    return rig;
  } catch (error) {
    note(`toolrig: ${messageOf(error)}`, "bad");
    globalTools.removeProvider("process");
    for (const tool of registered) globalTools.add(tool, { provider: "process" });
    return undefined;
  }
}

function serve(rig: Rig, port: number, file: string): Promise<ServedHttp> {
  const tokens = tokensOf(projectFiles(file).tokens);
  return rig.serve({ port, version: packageVersion(), ...defined({ tokens }) });
}

/** Its port is free at once; its calls have time to end. */
async function leave(live: Live, leaving: Set<Live>): Promise<void> {
  leaving.add(live);
  try {
    await live.served.close(GRACE);
    await live.rig.close(GRACE);
  } catch (error) {
    note(`What was there before could not be closed: ${messageOf(error)}`, "warn");
  }
  leaving.delete(live);
}

async function stop({ served, rig }: Live): Promise<void> {
  await served.close(1);
  await rig.close("5s");
}

function tell({ url }: ServedHttp, json: boolean): void {
  if (json) printJson({ url, mcp: `${url}/mcp` });
  else print(url);
}
