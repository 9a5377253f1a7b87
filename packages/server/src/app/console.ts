import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join, posix, sep } from "node:path";
import type { Arrival } from "../http/arrival.ts";
import { type Reply, reply } from "../http/reply.ts";

interface ServedFile {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".json": "application/json",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
  ".map": "application/json",
};

/** Nothing from elsewhere, nothing inline, in no frame. */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The console's files, all in memory: only what was there at the start can be asked for. */
export class Console {
  readonly #files: ReadonlyMap<string, ServedFile>;
  readonly #page: ServedFile;

  constructor(folder: string | undefined) {
    this.#files = folder === undefined ? new Map() : filesIn(folder);
    this.#page = this.#files.get("/index.html") ?? missing();
  }

  /** A file, or the page for whatever the console makes of a path. Undefined for a file that is not there. */
  answer(path: string, arrival: Arrival): Reply | undefined {
    const file = this.#files.get(path) ?? (looksLikeFile(path) ? undefined : this.#page);
    if (file === undefined) return undefined;
    const { bytes, headers } = file;
    if (arrival.header("if-none-match") === headers.etag) return reply(null, { status: 304, headers });
    const body = arrival.method === "HEAD" ? null : new Uint8Array(bytes);
    return reply(body, { headers: { ...headers, "content-length": String(bytes.byteLength) } });
  }
}

/** Ids have dots in them, too: only what ends as files of the console do is one. */
function looksLikeFile(path: string): boolean {
  return path.startsWith("/assets/") || Object.hasOwn(TYPES, extname(path));
}

function filesIn(folder: string): Map<string, ServedFile> {
  const files = new Map<string, ServedFile>();
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch {
    return files;
  }
  for (const name of names) {
    const file = join(folder, name);
    if (!statSync(file).isFile()) continue;
    const path = posix.join("/", name.split(sep).join("/"));
    files.set(path, served(path, readFileSync(file)));
  }
  return files;
}

/** What vite names by its content never changes under that name. */
const HASHED = /^\/assets\/.+-[\w-]{8,}\.\w+$/;

function served(path: string, bytes: Buffer): ServedFile {
  return {
    bytes,
    headers: {
      "content-type": TYPES[extname(path)] ?? "application/octet-stream",
      etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
      "cache-control": HASHED.test(path) ? "public, max-age=31536000, immutable" : "no-cache",
      "content-security-policy": CONTENT_POLICY,
    },
  };
}

function missing(): ServedFile {
  const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Toolrig</title>
<h1>Toolrig is running</h1>
<p>The console is not built here. In a clone of Toolrig, build it with:</p>
<pre>npm run build</pre>
<p>and start the server again. Meanwhile there is the <a href="/api/v1/openapi.json">HTTP API</a>, <code>/mcp</code> for MCP
clients, and the command line: <code>toolrig log --follow</code>.</p>
</html>
`;
  return served("/index.html", Buffer.from(page));
}
