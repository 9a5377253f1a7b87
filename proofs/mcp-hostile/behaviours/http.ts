import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { type HttpBehaviour, must } from "../behaviour.ts";
import { BASE } from "../peer.ts";
import type { Scene } from "../scene.ts";

type Message = { id?: unknown; method?: string; params?: Record<string, unknown> };

/** Answers as a proper server would, but for the methods that are given. */
function proper(
  request: IncomingMessage,
  response: ServerResponse,
  own: Readonly<Record<string, (message: Message) => void>>,
): void {
  if (request.method !== "POST") return void response.writeHead(405).end();
  let body = "";
  request.setEncoding("utf8").on("data", (chunk: string) => {
    body += chunk;
  });
  request.on("end", () => {
    const message = JSON.parse(body) as Message;
    const { id, method = "", params = {} } = message;
    if (own[method] !== undefined) own[method](message);
    else if (id === undefined) response.writeHead(202).end();
    else json(response, { jsonrpc: "2.0", id, result: BASE[method]?.(params, id) ?? {} });
  });
}

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

const isAway = async (scene: Parameters<HttpBehaviour["check"]>[0]) => {
  const { state, reason } = scene.status();
  must(state === "away" && reason !== undefined, `it is ${state}`);
  must(scene.innerConnections() === 0, "a service that it named was reached");
};

const isCapped: typeof isAway = async (scene) => {
  await isAway(scene);
  must(/bytes/.test(scene.status().reason ?? ""), `it is away for another reason: ${scene.status().reason}`);
};

function redirecting(name: string, to: (inner: string) => string, status: number): HttpBehaviour {
  return {
    name,
    outcome: "it is not followed: the connection is away, and nothing was sent there",
    answer: (_, response, { inner }) => void response.writeHead(status, { location: to(inner) }).end(),
    check: isAway,
  };
}

export const http: readonly HttpBehaviour[] = [
  redirecting("a redirect (302) to this machine", (inner) => inner, 302),
  redirecting("a redirect (307) to this machine, with what was sent", (inner) => inner, 307),
  redirecting(
    "a redirect (308) to this machine by another name",
    (inner) => inner.replace("127.0.0.1", "localhost"),
    308,
  ),
  redirecting("a redirect to the metadata of clouds", () => "http://169.254.169.254/latest/meta-data/", 307),
  redirecting("a redirect to a file", () => "file:///etc/passwd", 307),
  redirecting("redirects in a circle", () => "", 307),
  {
    name: "metadata for authorization that lies inside the house",
    outcome: "it is not fetched: the connection is away",
    answer: (request, response, { inner, own }) => {
      if (request.url?.includes("well-known"))
        return json(response, { resource: own, authorization_servers: [inner] });
      const metadata = `Bearer resource_metadata="${inner}.well-known/oauth-protected-resource"`;
      response.writeHead(401, { "www-authenticate": metadata }).end();
    },
    options: { connectTimeout: "2s" },
    check: isAway,
  },
  {
    name: "an authorization server inside the house",
    outcome: "it is not fetched: the connection is away",
    answer: (request, response, { inner, own }) => {
      if (request.url?.includes("well-known"))
        return json(response, { resource: own, authorization_servers: [inner] });
      const metadata = `Bearer resource_metadata="${own}/.well-known/oauth-protected-resource"`;
      response.writeHead(401, { "www-authenticate": metadata }).end();
    },
    check: isAway,
  },
  {
    name: "an answer that drips, a byte at a time",
    outcome: "after the limit of connecting it is away",
    answer: (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const drip = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(drip));
    },
    options: { connectTimeout: "1s" },
    check: isAway,
  },
  {
    name: "a stream of events that drips and never says anything",
    outcome: "after the limit of connecting it is away",
    answer: (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const drip = setInterval(() => response.write(": nothing\n\n"), 20);
      response.on("close", () => clearInterval(drip));
    },
    options: { connectTimeout: "1s" },
    check: isAway,
  },
  {
    name: "an answer without end",
    outcome: "it is ended at 4 MB",
    answer: (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const chunk = " ".repeat(65_536);
      const more = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on("drain", more);
      more();
    },
    check: isCapped,
  },
  {
    name: "an event without end",
    long: true,
    outcome: "it is ended at 4 MB; after the limit of connecting it is away",
    answer: (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const chunk = `data: ${"x".repeat(65_536)}\n`;
      const more = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on("drain", more);
      more();
    },
    options: { connectTimeout: "3s" },
    check: isAway,
  },
  {
    name: "100 MB packed into 100 kB",
    long: true,
    outcome: "it is ended at 4 MB unpacked",
    answer: (_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      response.end(gzipSync(Buffer.alloc(100_000_000, " ")));
    },
    options: { connectTimeout: "20s" },
    check: isCapped,
  },
  {
    name: "headers of 1 MB",
    outcome: "they are not read: the connection is away",
    answer: (_, response) => {
      response.writeHead(200, { "x-long": "x".repeat(1_000_000) }).end();
    },
    check: isAway,
  },
  {
    name: "a web page in place of an answer",
    outcome: "the connection is away with a reason",
    answer: (_, response) =>
      void response.writeHead(200, { "content-type": "text/html" }).end("<h1>Hello</h1>"),
    check: isAway,
  },
  {
    name: "a connection that is cut in the middle of a call",
    outcome: "TOOL_OUTCOME_UNKNOWN",
    answer: (request, response) => proper(request, response, { "tools/call": () => void response.destroy() }),
    async check(scene) {
      const { failure } = await scene.call("echo");
      must(failure?.code === "TOOL_OUTCOME_UNKNOWN", `it came to ${failure?.code}: ${failure?.message}`);
    },
  },
  ...[500, 502, 503, 504].map((status) => ({
    name: `a call that did something and is answered with HTTP ${status}`,
    outcome: "TOOL_OUTCOME_UNKNOWN, and not to be tried again as it is",
    answer: (request: IncomingMessage, response: ServerResponse) =>
      proper(request, response, { "tools/call": () => void response.writeHead(status).end("sorry") }),
    async check(scene: Scene) {
      const { failure } = await scene.call("echo");
      must(failure?.code === "TOOL_OUTCOME_UNKNOWN", `it came to ${failure?.code}: ${failure?.message}`);
      must(!failure.retryable, "it may be tried again");
    },
  })),
  {
    name: "a stream that ends before the answer",
    outcome: "TOOL_OUTCOME_UNKNOWN at once, and the connection stays",
    answer: (request, response) =>
      proper(request, response, {
        "tools/call": () =>
          void response.writeHead(200, { "content-type": "text/event-stream" }).end(": bye\n\n"),
      }),
    async check(scene) {
      const { failure } = await scene.call("echo");
      must(failure?.code === "TOOL_OUTCOME_UNKNOWN", `it came to ${failure?.code}: ${failure?.message}`);
      must(scene.status().state === "ready", `the connection is ${scene.status().state}`);
    },
  },
  {
    name: "a stream that breaks off in the middle of the answer",
    outcome: "TOOL_OUTCOME_UNKNOWN at once",
    answer: (request, response) =>
      proper(request, response, {
        "tools/call": ({ id }) => {
          response.writeHead(200, { "content-type": "text/event-stream" });
          response.write(`data: {"jsonrpc":"2.0","id":${id},"resu`, () => response.destroy());
        },
      }),
    async check(scene) {
      const { failure } = await scene.call("echo");
      must(failure?.code === "TOOL_OUTCOME_UNKNOWN", `it came to ${failure?.code}: ${failure?.message}`);
    },
  },
  {
    name: "a redirect of a call to this machine",
    outcome: "the call fails; its arguments reach nobody else",
    answer: (request, response, { inner }) =>
      proper(request, response, {
        "tools/call": () => void response.writeHead(307, { location: inner }).end(),
      }),
    async check(scene) {
      must((await scene.call("echo", { secret: "s" })).isError, "it was followed");
      must(scene.innerConnections() === 0, "the arguments were sent elsewhere");
    },
  },
];
