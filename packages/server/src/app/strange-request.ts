import type { IncomingMessage, RequestListener } from "node:http";
import { RequestProblem } from "../http/problem.ts";
import { hostnameOf } from "../security/host.ts";

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT", "PATCH"]);

/** Refuses what `node:http` lets through and no request can be made of, or only one that says something else. */
export function refusingStrange(handler: RequestListener): RequestListener {
  return (request, response) => {
    const problem = problemWith(request);
    if (problem === undefined) return handler(request, response);
    const { body } = new RequestProblem("REQUEST_MALFORMED", problem);
    response.writeHead(body.status, { "content-type": "application/problem+json", connection: "close" });
    response.end(JSON.stringify(body));
  };
}

/** A path or host that is sent over and over need not be looked at again. */
let plainPath = "";
let plainHost = "";
const STRANGE_PATH = /[\\\0-\x20\x7f]|%(?:00|0a|0d|2f|5c)|(?:^|\/)(?:\.|%2e){1,2}(?:\/|$|\?)/i;

function problemWith({ method = "", url = "", headers, rawHeaders }: IncomingMessage): string | undefined {
  if (!METHODS.has(method)) return "This method is not served.";
  if (url !== plainPath) {
    if (!url.startsWith("/") || url.startsWith("//")) return "The target of the request must be a path.";
    if (STRANGE_PATH.test(url.split("?")[0] ?? "")) return "The path has what no path of this server has.";
    plainPath = url;
  }
  const { host } = headers;
  if (host === undefined) return "There must be a Host.";
  if (host !== plainHost) {
    if (hostnameOf(host) === undefined) return "The Host is none.";
    plainHost = host;
  }
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts > 1 ? "There must be one Host." : undefined;
}
