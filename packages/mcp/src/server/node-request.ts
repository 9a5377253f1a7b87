import type { IncomingMessage, ServerResponse } from "node:http";
import { hostnameOf } from "./host.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT", "PATCH"]);

/** Refuses what `node:http` lets through and no request can be made of, or only one that says something else. */
export function refusingStrange(handler: Handler): Handler {
  return async (request, response) => {
    const problem = problemWith(request);
    if (problem === undefined) return handler(request, response);
    const error = { code: -32_000, message: problem };
    response.writeHead(400, { "content-type": "application/json", connection: "close" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
  };
}

function problemWith({ method = "", url = "", headers, rawHeaders }: IncomingMessage): string | undefined {
  if (!METHODS.has(method)) return "This method is not served.";
  if (!url.startsWith("/")) return "The target of the request must be a path.";
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host");
  if (hosts.length > 1) return "There must be one Host.";
  if (headers.host !== undefined && hostnameOf(headers.host) === undefined) return "The Host is none.";
  return undefined;
}
