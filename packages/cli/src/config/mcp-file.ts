import { readFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { ToolrigError } from "@toolrig/core";
import { isRecord, messageOf } from "@toolrig/core/kit";
import { decode } from "@toolrig/json";
import { type ConnectionOptions, checkConnection } from "@toolrig/mcp/client";
import { refuseRepeated } from "../terminal/input.ts";
import { McpPlaceholders } from "./mcp-placeholders.ts";

/** Connections that another program's file describes, as they are added here. */
export interface McpFile {
  servers: ReadonlyMap<string, ConnectionOptions>;
  /** What was left out or read in another way, for whoever adds them. */
  notes: readonly string[];
}

/** Where the programs keep their servers: `.mcp.json` and Claude Desktop, VS Code's mcp.json, VS Code's settings. */
const PLACES = [["mcpServers"], ["servers"], ["mcp", "servers"], ["mcp", "mcpServers"]] as const;
const TAKEN = ["command", "args", "env", "cwd", "url", "headers"] as const;
/** What says how the server is reached, and is told by the fields themselves. */
const KINDS: readonly unknown[] = [undefined, "stdio", "http", "streamable-http", "streamableHttp"];

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a file that lists MCP servers; nothing of it is run. Comments are allowed. Throws `OPTION_INVALID` for a file without servers.
 * A server that cannot be used as it is described is left out, and a note says why.
 */
export async function readMcpFile(
  file: string,
  inputs: Readonly<Record<string, string>>,
  wanted: string | undefined,
): Promise<McpFile> {
  const document = await parsed(file);
  const place = PLACES.find((path) => isRecord(valueAt(document, path)));
  if (place === undefined)
    throw problem(`${file} lists no MCP servers: there is neither "mcpServers" nor "servers" in it.`);
  const all = valueAt(document, place) as Fields;
  if (wanted !== undefined && !Object.hasOwn(all, wanted))
    throw problem(`${file} has no server "${wanted}". There is: ${Object.keys(all).join(", ") || "none"}.`);
  const project = projectOf(file);
  const placeholders = new McpPlaceholders(inputs, inputsOf(document), project ?? dirname(file));
  const servers = new Map<string, ConnectionOptions>();
  const notes: string[] = [];
  for (const [given, fields] of Object.entries(all)) {
    if (wanted !== undefined && given !== wanted) continue;
    try {
      const name = nameFor(given, notes);
      const server = serverOf(given, fields, notes, placeholders, project);
      checkConnection(name, server);
      if (servers.has(name)) throw new Error(`another server is already called ${name}`);
      servers.set(name, server);
    } catch (error) {
      notes.push(`${given}: left out, since ${messageOf(error)}.`);
    }
  }
  return { servers, notes };
}

async function parsed(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw problem(`--from must be a readable file: ${messageOf(error)}.`);
  }
  refuseRepeated(text, file);
  const read = decode(text);
  // Comments and commas at the end are what such files have; what would have to be guessed is not read.
  if (read.ok && (read.mode === "strict" || read.repairs.every(({ degree }) => degree === "exact")))
    return read.value;
  throw problem(`${file} is not JSON${read.ok ? "" : `: ${read.failure.message}`}`);
}

function serverOf(
  name: string,
  fields: unknown,
  notes: string[],
  placeholders: McpPlaceholders,
  folder: string | undefined,
): ConnectionOptions {
  if (!isRecord(fields)) throw new Error("it is not an object");
  if (fields.disabled === true || fields.enabled === false) throw new Error("it is disabled there");
  if (!KINDS.includes(fields.type))
    throw new Error(`its type is ${JSON.stringify(fields.type)}, which is not spoken here`);
  const known: readonly string[] = [...TAKEN, "type", "disabled", "enabled"];
  const unknown = Object.keys(fields).filter((field) => !known.includes(field));
  if (unknown.length > 0)
    notes.push(`${name}: ${unknown.join(", ")} ${unknown.length === 1 ? "is" : "are"} not read.`);
  const taken = TAKEN.filter((field) => fields[field] !== undefined);
  const server = Object.fromEntries(taken.map((field) => [field, placeholders.in(fields[field])]));
  if (typeof server.command === "string" && (server.cwd !== undefined || folder !== undefined))
    server.cwd = resolve(folder ?? ".", String(server.cwd ?? "."));
  return server as ConnectionOptions;
}

/** The folder of the project that a file is for, where its programs are started. A file of the user's own is for none. */
function projectOf(file: string): string | undefined {
  const folder = dirname(file);
  if ([".vscode", ".cursor"].includes(basename(folder))) return dirname(folder);
  return basename(file) === ".mcp.json" ? folder : undefined;
}

function nameFor(given: string, notes: string[]): string {
  const name = given
    .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
    .replaceAll(/^[^A-Za-z0-9]+|-+$/g, "")
    .slice(0, 40);
  if (name === "") throw new Error("nothing of its name can be used");
  if (name !== given) notes.push(`${given}: it is called ${name} here.`);
  return name;
}

function inputsOf(document: unknown): ReadonlyMap<string, string> {
  const listed = valueAt(document, ["inputs"]) ?? valueAt(document, ["mcp", "inputs"]);
  if (!Array.isArray(listed)) return new Map();
  return new Map(
    listed
      .filter(isRecord)
      .map(({ id, description }) => [String(id), typeof description === "string" ? description : ""]),
  );
}

function valueAt(document: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (part, key) => (isRecord(part) && Object.hasOwn(part, key) ? part[key] : undefined),
    document,
  );
}

function problem(message: string): ToolrigError {
  return new ToolrigError("OPTION_INVALID", message);
}
