import { once } from "node:events";
import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { ToolrigError } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import { type DeniedRequest, type ServerToken, TokenFile, type TokenSource } from "@toolrig/server";
import { callerAt } from "../config/fleet-at.ts";
import { CONFIG_OPTION, loadSettings } from "../config/load-settings.ts";
import { openRig } from "../config/open-rig.ts";
import { projectFiles } from "../config/project-files.ts";
import { recordPolicy } from "../config/record-change.ts";
import { command } from "../shell/command.ts";
import { packageVersion } from "../shell/package-version.ts";
import { cancelOnSignal } from "../terminal/cancel-on-signal.ts";
import { note, print, printJson } from "../terminal/output.ts";
import { fleetView } from "./serve/fleet-view.ts";
import { readTokens } from "./serve/token-file.ts";

const MAX_BYTES = 5_000_000;
const OPEN = "There are no tokens: whoever is on this machine may come. toolrig token new makes one.";

export const serve = command({
  name: "serve",
  positionals: [],
  options: {
    ...CONFIG_OPTION,
    port: {
      type: "string",
      value: "PORT",
      describe: "the port to listen on, 0 for a free one (default: 7420)",
    },
    host: { type: "string", value: "ADDRESS", describe: "the address to listen on (default: 127.0.0.1)" },
    names: {
      type: "string",
      value: "NAMES",
      describe: "names it is reached by, besides loopback's, with commas",
    },
    origins: {
      type: "string",
      value: "ORIGINS",
      describe: "origins of other pages that may come, with commas",
    },
    "run-approved": {
      type: "boolean",
      describe: "run calls that were approved after the process that asked had died",
    },
    nats: { type: "string", value: "URL", describe: "show the fleet on this NATS server in the console" },
    "token-file": {
      type: "string",
      value: "FILE",
      describe: "tokens that clients must send, one a line, besides those of toolrig token",
    },
  },
  details: [
    "The console is at /, the API below /api/v1 (described by /api/v1/openapi.json), MCP at /mcp, /metrics, /healthz, /readyz.",
    "Listens on loopback, where whoever is on this machine may come. Elsewhere it needs tokens: toolrig token new makes them,",
    "or --token-file has them, a file that only you can read (chmod 600), with TOKEN or NAME TOKEN on each line. Once there",
    "are tokens, they are needed on loopback as well. Requests under a host name that is not its own, and from web pages of",
    "elsewhere, are refused; what was refused is in .toolrig/denied.ndjson. Ends on SIGTERM or Ctrl-C. Prints its URL when it",
    'listens; with --json as {"url": ..., "mcp": ...}.',
  ].join("\n"),
  examples: ["toolrig serve", "toolrig serve --host 0.0.0.0 --names tools.example.com --token-file tokens"],

  async run({ values }) {
    const { host = "127.0.0.1" } = values;
    const port = portOf(values.port ?? "7420");
    const files = projectFiles(values.config);
    const tokens = tokensOf(files.tokens, values["token-file"]);
    // Whoever reads /metrics finds runs and models, too.
    const fleet =
      values.nats === undefined
        ? undefined
        : await fleetView(callerAt({ nats: values.nats }, await loadSettings(values.config)));
    const rig = await openRig(values.config, {}, { telemetry: true });
    recordPolicy(rig);
    const warn = (message: string) => {
      if (values.verbose === true) note(message, "warn");
    };
    try {
      const served = await rig.serve({
        port,
        host,
        version: packageVersion(),
        names: listed(values.names),
        origins: listed(values.origins),
        runApproved: values["run-approved"] === true,
        ...defined({ tokens, fleet }),
        onError: ({ message, cause }) =>
          warn(cause instanceof Error ? `${message} ${cause.message}` : message),
        onDenied: (denied) => keepDenied(files.denied, denied, warn),
      });
      const { url } = served;
      if (values.json === true) printJson({ url, mcp: `${url}/mcp` });
      else print(url);
      if (tokens === undefined) note(OPEN, "dim");
      const stopped = cancelOnSignal("Stopping: calls under way are cancelled; again to quit at once.");
      if (!stopped.aborted) await once(stopped, "abort");
      await served.close(1);
    } finally {
      await fleet?.close();
      await rig.close("5s");
    }
    return 0;
  },
});

/** Whom a server lets in: the tokens that are kept, and those of a file that was named. Without either, whoever comes. */
export function tokensOf(keptIn: string, file?: string): TokenSource | undefined {
  const listedOnes: readonly ServerToken[] = file === undefined ? [] : readTokens(file);
  const kept = new TokenFile(keptIn);
  if (file === undefined && !kept.exists) return undefined;
  // Said now, and not with the first request: it lets nobody in.
  if (kept.exists) kept.list();
  let from: readonly ServerToken[] | undefined;
  let all: readonly ServerToken[] = listedOnes;
  return {
    current() {
      const current = kept.current();
      if (current !== from) {
        from = current;
        all = [...listedOnes, ...current];
      }
      return all;
    },
  };
}

function listed(text: string | undefined): string[] {
  return (text ?? "").split(",").filter((each) => each !== "");
}

/** Two files of so many bytes at most. */
function keepDenied(file: string, denied: DeniedRequest, warn: (message: string) => void): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) renameSync(file, `${file}.1`);
    appendFileSync(file, `${JSON.stringify(denied)}\n`, { mode: 0o600 });
  } catch (error) {
    warn(`${file}: ${(error as Error).message}`);
  }
}

export function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new ToolrigError("OPTION_INVALID", `--port must be a number up to 65535; got "${text}".`);
}
