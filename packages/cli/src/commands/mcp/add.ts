import { resolve } from "node:path";
import { ToolrigError } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import { type ConnectionOptions, checkConnection, shownTarget } from "@toolrig/mcp/client";
import { readMcpFile } from "../../config/mcp-file.ts";
import { changeServers, type ListedServer } from "../../config/mcp-store.ts";
import { needed } from "../../shell/choose-action.ts";
import { userName } from "../../shell/user-name.ts";
import { note, printJson } from "../../terminal/output.ts";
import { redactedText } from "../../terminal/redaction.ts";
import type { McpAction } from "./action.ts";

/** Keeps connections in the store. Nothing is started. */
export async function add(action: McpAction): Promise<number> {
  const { values } = action;
  const { servers, notes } =
    values.from === undefined ? { servers: typed(action), notes: [] } : await fromFile(action, values.from);
  for (const each of notes) note(each, "warn");
  for (const [name, server] of servers) checkConnection(name, server);
  await changeServers(values, async ({ store: { catalog }, servers: known }) => {
    for (const name of servers.keys()) refuseTaken(name, known, values.replace === true);
    for (const [name, server] of servers) {
      // What was accepted of another server under this name says nothing of this one.
      await catalog.remove("connection", name);
      await catalog.put({ kind: "connection", name, spec: { server }, by: userName(undefined) });
      note(`${name}: ${redactedText(shownTarget(server))}`);
    }
  });
  if (values.json === true) printJson([...servers.keys()]);
  if (servers.size > 0) note(`Added. "toolrig mcp test" connects and shows what they offer.`, "dim");
  return servers.size > 0 ? 0 : 2;
}

/** What was accepted of a server goes with it, so that another does not take its name by the way. */
function refuseTaken(name: string, known: readonly ListedServer[], replaces: boolean): void {
  const taken = known.find((each) => each.name === name);
  if (taken?.from === "config")
    throw new ToolrigError(
      "OPTION_INVALID",
      `The config already has a server "${name}"; choose another name.`,
    );
  if (taken !== undefined && !replaces)
    throw new ToolrigError(
      "OPTION_INVALID",
      `There is a server "${name}" already; choose another name, or say --replace to forget it.`,
    );
}

function fromFile({ values, name, rest }: McpAction, file: string) {
  if (rest.length > 0 || values.url !== undefined)
    throw new ToolrigError(
      "OPTION_INVALID",
      "mcp add takes --from FILE, --url URL or a program, and only one of them.",
    );
  return readMcpFile(resolve(file), pairs("--input", values.input), name);
}

function typed({ values, name, rest }: McpAction): Map<string, ConnectionOptions> {
  const given = needed(name, "mcp add", "NAME, and then -- PROGRAM ARGUMENTS or --url URL; or --from FILE");
  const [program, ...args] = rest;
  const { url, header, env, cwd, trust } = values;
  if ((program === undefined) === (url === undefined))
    throw new ToolrigError(
      "OPTION_INVALID",
      "mcp add takes a program after -- or --url URL, and one of them.",
    );
  const server: ConnectionOptions = {
    ...(program !== undefined && { command: program, args, cwd: resolve(".") }),
    ...defined({ url }),
    ...(header !== undefined && { headers: pairs("--header", header) }),
    ...(env !== undefined && { env: pairs("--env", env, (variable) => `\${env:${variable}}`) }),
    ...(cwd !== undefined && { cwd: resolve(cwd) }),
    ...(trust === true && { trust: "annotations" as const }),
  };
  return new Map([[given, server]]);
}

/** Pairs as they are typed: NAME=VALUE. */
function pairs(
  option: string,
  given: readonly string[] = [],
  otherwise?: (name: string) => string,
): Record<string, string> {
  return Object.fromEntries(
    given.map((each) => {
      const [, name, value] = /^([^=]+)(?:=([\s\S]*))?$/.exec(each) ?? [];
      const text = value ?? (name === undefined ? undefined : otherwise?.(name));
      if (name !== undefined && text !== undefined) return [name, text];
      throw new ToolrigError("OPTION_INVALID", `${option} must be NAME=VALUE; got "${name ?? ""}".`);
    }),
  );
}
