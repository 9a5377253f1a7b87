import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
};

export interface Served extends AsyncDisposable {
  readonly origin: string;
}

/** Serves a folder on loopback as hosts of static sites do: /guards is guards.html, and what is not there is 404.html. */
export async function serveBuilt(folder: string): Promise<Served> {
  const server = createServer(({ url = "/" }, response) => {
    const path = normalize(decodeURIComponent(new URL(url, "http://site").pathname));
    const found = [path.endsWith("/") ? `${path}index.html` : path, `${path}.html`]
      .map((name) => ({ name, content: contentOf(join(folder, name)) }))
      .find(({ content }) => content !== undefined);
    const type = TYPES[extname(found?.name ?? "404.html")] ?? "application/octet-stream";
    response.writeHead(found === undefined ? 404 : 200, {
      "content-type": type,
      // Names of assets have their hash in them.
      ...(path.startsWith("/assets/") && { "cache-control": "max-age=31536000, immutable" }),
    });
    response.end(found?.content ?? contentOf(join(folder, "404.html")));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function contentOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
