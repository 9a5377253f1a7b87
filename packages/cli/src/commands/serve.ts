import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ToolrigError } from "@toolrig/core";
import { mcpServer } from "@toolrig/mcp";
import { CONFIG_OPTION, openRig } from "../config/open-rig.ts";
import { command } from "../shell/command.ts";
import { packageVersion } from "../shell/package-version.ts";
import { cancelOnSignal } from "../terminal/cancel-on-signal.ts";
import { note, print, printJson } from "../terminal/output.ts";
import { readTokens } from "./serve/token-file.ts";

const LOOPBACK = ["127.0.0.1", "::1", "localhost"];

export const serve = command({
  name: "serve",
  summary: "Serve the configured tools over HTTP: /mcp for MCP clients, /healthz",
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
    "token-file": { type: "string", value: "FILE", describe: "tokens that clients must send, one a line" },
  },
  details: [
    "Listens on loopback, where whoever is on this machine may come. Elsewhere it needs --token-file: a file that only you can",
    "read (chmod 600), with TOKEN or NAME TOKEN on each line; NAME is on whose behalf its calls are made and recorded.",
    "Requests under a host name that is not its own, and from web pages of elsewhere, are refused. Ends on SIGTERM or Ctrl-C.",
    'Prints its URL when it listens; with --json as {"url": ...}.',
  ].join("\n"),
  examples: ["toolrig serve", "toolrig serve --host 0.0.0.0 --names tools.example.com --token-file tokens"],

  async run({ values }) {
    const { host = "127.0.0.1", "token-file": tokenFile } = values;
    const port = portOf(values.port ?? "7420");
    const isLocal = LOOPBACK.includes(host);
    if (!isLocal && tokenFile === undefined)
      throw new ToolrigError("OPTION_INVALID", `--host ${host} lets others come: give --token-file FILE.`);
    const tokens = tokenFile === undefined ? undefined : readTokens(tokenFile);
    const named = (values.names ?? "").split(",").filter((name) => name !== "");
    const rig = await openRig(values.config);
    const served = mcpServer(rig, {
      version: packageVersion(),
      ...(tokens !== undefined && { tokens }),
      hosts: [
        "localhost",
        "127.0.0.1",
        "[::1]",
        ...(isLocal ? [] : [host.includes(":") ? `[${host}]` : host]),
        ...named,
      ],
      onError: ({ message }) => {
        if (values.verbose === true) note(message, "warn");
      },
    });
    const server = createServer((request, response) => {
      const path = (request.url ?? "").split("?")[0];
      if (path === "/mcp") void served.node(request, response);
      else if (path === "/healthz")
        response.setHeader("content-type", "application/json").end('{"status":"ok"}');
      else response.writeHead(404, { "content-type": "text/plain" }).end("There is /mcp and /healthz.\n");
    });
    await listen(server, port, host);
    const url = `http://${host.includes(":") ? `[${host}]` : host}:${(server.address() as AddressInfo).port}/mcp`;
    if (values.json === true) printJson({ url });
    else print(url);
    const stopped = cancelOnSignal("Stopping: calls under way are cancelled; again to quit at once.");
    if (!stopped.aborted) await once(stopped, "abort");
    const closed = once(server.close(), "close");
    await served.close();
    await leave(server, closed);
    await rig.close("5s");
    return 0;
  },
});

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new ToolrigError("OPTION_INVALID", `--port must be a number up to 65535; got "${text}".`);
}

/** Connections are closed as their answers have been written; those that do not take them, after a while. */
async function leave(server: Server, closed: Promise<unknown>): Promise<void> {
  const often = setInterval(() => server.closeIdleConnections(), 20);
  const late = setTimeout(() => server.closeAllConnections(), 2_000);
  await closed;
  clearInterval(often);
  clearTimeout(late);
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    throw new ToolrigError("OPTION_INVALID", `Cannot listen on ${host}:${port}: ${(error as Error).message}`);
  }
}
