import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium } from "../../scripts/chromium.ts";
import { installFolder } from "../../scripts/install-folder.ts";

/** A server that others wrote, and requests to it that reach nothing but this machine. */
export interface ThirdParty {
  name: string;
  /** A program with a state of its own, each time. */
  program(): { command: string; args: string[]; env?: Record<string, string> };
  calls: readonly { tool: string; args: Record<string, unknown> }[];
  /** Arguments of its prompts, by the prompt's name. Every other prompt that needs none is got, too. */
  prompts?: Readonly<Record<string, Record<string, string>>>;
  /** Read beside those that it lists. */
  resources?: readonly string[];
}

const SERVERS = fileURLToPath(new URL("./servers/", import.meta.url));

const program = (file: string, ...args: string[]) => ({ command: process.execPath, args: [file, ...args] });
const inWorkspace = (module: string) => fileURLToPath(import.meta.resolve(module));

/** All of them, or a word why one is not there. What they need is ended with the loop. */
export async function* thirdParties(
  isFull: boolean,
  print: (line: string) => void,
): AsyncGenerator<ThirdParty | string> {
  const folder = mkdtempSync(join(tmpdir(), "toolrig-gateway-"));
  try {
    yield* ofTheWorkspace(folder);
    if (!isFull) return;
    try {
      installFolder(SERVERS, "four MCP servers of others (about 60 MB, once)", print);
    } catch (error) {
      yield `four servers of others are not installed: ${(error as Error).message}`;
      return;
    }
    yield* installed(folder);
    yield* browser(join(folder, "pages"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function* ofTheWorkspace(folder: string): Generator<ThirdParty> {
  const files = join(folder, "files");
  mkdirSync(files);
  writeFileSync(join(files, "a.txt"), "a file");
  writeFileSync(join(files, "pixel.png"), Buffer.from(PIXEL, "base64"));
  yield {
    name: "filesystem",
    program: () => program(inWorkspace("@modelcontextprotocol/server-filesystem/dist/index.js"), files),
    calls: [
      { tool: "list_allowed_directories", args: {} },
      { tool: "read_text_file", args: { path: join(files, "a.txt") } },
      { tool: "read_media_file", args: { path: join(files, "pixel.png") } },
      { tool: "read_text_file", args: { path: "/etc/hostname" } },
    ],
  };
  yield {
    name: "everything",
    program: () => program(inWorkspace("@modelcontextprotocol/server-everything/dist/index.js")),
    calls: [
      { tool: "echo", args: { message: "hello" } },
      { tool: "get-sum", args: { a: 19, b: 23 } },
      { tool: "get-tiny-image", args: {} },
      { tool: "get-structured-content", args: { location: "Chicago" } },
      { tool: "get-annotated-message", args: { messageType: "error", includeImage: true } },
      { tool: "get-resource-links", args: { count: 3 } },
      { tool: "get-resource-reference", args: { resourceType: "Text", resourceId: 1 } },
      { tool: "get-resource-reference", args: { resourceType: "Blob", resourceId: 2 } },
    ],
    prompts: {
      "args-prompt": { city: "Vienna" },
      "completable-prompt": { department: "Sales", name: "Alice" },
      "resource-prompt": { resourceType: "Text", resourceId: "1" },
    },
    resources: ["demo://resource/dynamic/text/1", "demo://resource/dynamic/blob/1"],
  };
}

function* installed(folder: string): Generator<ThirdParty> {
  const from = createRequire(join(SERVERS, "package.json"));
  const file = (path: string) => from.resolve(path);
  let memories = 0;
  yield {
    name: "memory",
    program: () => ({
      ...program(file("@modelcontextprotocol/server-memory/dist/index.js")),
      env: { MEMORY_FILE_PATH: join(folder, `memory-${++memories}.jsonl`) },
    }),
    calls: [
      {
        tool: "create_entities",
        args: { entities: [{ name: "Ada", entityType: "person", observations: ["wrote notes"] }] },
      },
      { tool: "search_nodes", args: { query: "notes" } },
      { tool: "read_graph", args: {} },
    ],
  };
  yield {
    name: "sequential-thinking",
    program: () => program(file("@modelcontextprotocol/server-sequential-thinking/dist/index.js")),
    calls: [
      {
        tool: "sequentialthinking",
        args: { thought: "One", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
      },
    ],
  };
  const repository = repositoryIn(folder);
  yield {
    name: "git",
    program: () => ({
      ...program(join(SERVERS, "node_modules/@cyanheads/git-mcp-server/dist/index.js")),
      env: {
        MCP_TRANSPORT_TYPE: "stdio",
        OTEL_ENABLED: "false",
        MCP_LOG_LEVEL: "error",
        GIT_BASE_DIR: folder,
        LOGS_DIR: join(folder, "logs"),
      },
    }),
    calls: [
      { tool: "git_set_working_dir", args: { path: repository } },
      { tool: "git_status", args: { path: repository } },
      { tool: "git_log", args: { path: repository } },
    ],
  };
}

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function repositoryIn(folder: string): string {
  const path = join(folder, "repository");
  mkdirSync(path);
  writeFileSync(join(path, "a.txt"), "a file");
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], { cwd: path });
  git("init", "--quiet", "--initial-branch=main");
  git("add", ".");
  git("commit", "--quiet", "--message=First");
  return path;
}

/** A browser that is shown a page of this process, and asked for no other. */
async function* browser(output: string): AsyncGenerator<ThirdParty | string> {
  const page = createServer((_, response) =>
    response.setHeader("content-type", "text/html").end("<title>A page</title><h1>Hello</h1>"),
  );
  await new Promise<void>((resolve) => page.listen(0, "127.0.0.1", () => resolve()));
  const { port } = page.address() as { port: number };
  const url = `http://127.0.0.1:${port}/`;
  const cli = join(SERVERS, "node_modules/@playwright/mcp/cli.js");
  try {
    const args = [
      "--headless",
      "--isolated",
      "--no-sandbox",
      "--executable-path",
      findChromium(),
      "--output-dir",
      output,
    ];
    yield {
      name: "playwright",
      program: () => program(cli, ...args, "--allowed-origins", new URL(url).origin),
      calls: [
        { tool: "browser_navigate", args: { url } },
        { tool: "browser_snapshot", args: {} },
        { tool: "browser_close", args: {} },
      ],
    };
  } catch (error) {
    yield `playwright has no browser: ${(error as Error).message}`;
  } finally {
    page.close();
    page.closeAllConnections();
  }
}
