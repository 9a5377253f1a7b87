/** Clients of MCP that others wrote, with a person at each who answers what is asked. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Revision } from "./look.ts";

export interface Answer {
  action: "accept" | "decline" | "cancel";
  content?: Record<string, unknown>;
}

export type Person = () => Answer | Promise<Answer>;

export interface AskingClient {
  name: string;
  revision: Revision;
  /** Has no way to leave a question open and give up its call. */
  cannotGiveUp?: true;
  /** Calls a tool, and returns what its text says. Rejects when it is given up. */
  ask(tool: string, question: object, person: Person, signal?: AbortSignal): Promise<unknown>;
  /** From now on sends every answer twice. Returns what came back to the second ones. */
  sendTwice(): Promise<unknown>[];
  close(): Promise<void>;
}

const CAPABILITIES = { elicitation: { form: {}, url: {} } };
const INFO = { name: "asking-proof", version: "1" };

/** Sends answers once more, when it is told to. */
class Repeating {
  readonly again: Promise<unknown>[] = [];
  on = false;

  readonly fetch = async (at: URL | string, init?: RequestInit): Promise<Response> => {
    const response = await fetch(at, init);
    if (this.on && isAnswer(init?.body)) this.again.push(fetch(at, init).then((each) => each.text()));
    return response;
  };
}

function isAnswer(body: unknown): boolean {
  if (typeof body !== "string") return false;
  const { result, params } = JSON.parse(body) as { result?: unknown; params?: { inputResponses?: unknown } };
  return result !== undefined || params?.inputResponses !== undefined;
}

function told(content: unknown): unknown {
  const said = (content as { text?: string }[])[0]?.text ?? "null";
  try {
    return JSON.parse(said) as unknown;
  } catch {
    return said;
  }
}

/** The official SDK, second version. */
export async function sdk2(url: URL, revision: Revision): Promise<AskingClient> {
  const repeating = new Repeating();
  const mode = revision === "2025-11-25" ? "legacy" : { pin: revision };
  const client = new Client(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } });
  let person: Person = () => ({ action: "decline" });
  client.setRequestHandler("elicitation/create", () => person() as never);
  await client.connect(new StreamableHTTPClientTransport(url, { fetch: repeating.fetch }));
  return {
    name: "SDK 2",
    revision,
    async ask(tool, question, given, signal) {
      person = given;
      const { content } = await client.callTool(
        { name: tool, arguments: { question } },
        signal === undefined ? {} : { signal },
      );
      return told(content);
    },
    sendTwice() {
      repeating.on = true;
      return repeating.again;
    },
    close: () => client.close(),
  };
}

/** The official SDK, first version, which knows the older revision alone. */
export async function sdk1(url: URL): Promise<AskingClient> {
  const repeating = new Repeating();
  const client = new Client1(INFO, { capabilities: CAPABILITIES });
  let person: Person = () => ({ action: "decline" });
  client.setRequestHandler(ElicitRequestSchema, () => person() as never);
  await client.connect(new Transport1(url, { fetch: repeating.fetch }) as never);
  return {
    name: "SDK 1",
    revision: "2025-11-25",
    async ask(tool, question, given, signal) {
      person = given;
      const { content } = await client.callTool(
        { name: tool, arguments: { question } },
        undefined,
        signal === undefined ? {} : { signal },
      );
      return told(content);
    },
    sendTwice() {
      repeating.on = true;
      return repeating.again;
    },
    close: () => client.close(),
  };
}

interface Shown {
  elicitationPending?: { elicitationId: string };
  result?: { content: unknown };
  content?: unknown;
}

/** The Inspector's command line, each command a program of its own beside a daemon that has the connection. */
export async function inspector(url: URL, revision: Revision): Promise<AskingClient> {
  const home = mkdtempSync(join(tmpdir(), "inspector-"));
  const manifest = createRequire(import.meta.resolve("@toolrig/mcp")).resolve(
    "@modelcontextprotocol/inspector/package.json",
  );
  const program = join(dirname(manifest), "clients/mcpdo/build/mcp-bin.js");
  const env: Record<string, string> = { PATH: process.env.PATH ?? "", HOME: home };
  const run = async (...args: string[]): Promise<string> => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: home,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, problem] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    if (child.exitCode !== 0) throw new Error(`mcpdo ${args[0]} ended with ${child.exitCode}: ${problem}`);
    return out;
  };
  for (const [, name, value] of (await run("private")).matchAll(/export (\w+)='([^']*)'/g))
    if (name !== undefined && value !== undefined) env[name] = value;
  const era = revision === "2025-11-25" ? "legacy" : "modern";
  await run("connect", "--conn", "it", "--era", era, "--connect-timeout", "600000", url.href);
  const json = async (...args: string[]) =>
    JSON.parse(await run("--format", "json", "--conn", "it", ...args)) as Shown;
  const again: Promise<unknown>[] = [];
  let isTwice = false;
  return {
    name: "Inspector",
    revision,
    cannotGiveUp: true,
    async ask(tool, question, person) {
      let shown = await json("tools/call", tool, "--tool-args-json", JSON.stringify({ question }));
      while (shown.elicitationPending !== undefined) {
        const { elicitationId: id } = shown.elicitationPending;
        const { action, content } = await person();
        const given =
          action !== "accept"
            ? [`--${action}`]
            : content === undefined
              ? ["--done"]
              : [JSON.stringify(content)];
        shown = await json("elicitation/respond", id, ...given);
        if (isTwice) again.push(json("elicitation/respond", id, ...given).catch(() => "refused"));
      }
      return told(shown.content ?? shown.result?.content);
    },
    sendTwice() {
      isTwice = true;
      return again;
    },
    async close() {
      await Promise.allSettled(again);
      await run("daemon", "stop").catch(() => {});
      rmSync(home, { recursive: true, force: true });
    },
  };
}
