import { createHash } from "node:crypto";
import { MAX_BODY, type Scene, type Sent } from "./scene.ts";

/** A request that must be refused. */
export interface Attempt {
  name: string;
  to: "tokens" | "open";
  send: Sent;
  /** The status that it must be answered with. */
  status: number;
  /** What must stand in the answer. */
  says?: string;
  /** How often it is sent; the last answer counts. */
  times?: number;
}

interface Parts {
  headers?: Record<string, string | undefined>;
  body?: string;
}

/** A request as text. Headers with undefined are left out. */
function http(line: string, { headers = {}, body }: Parts = {}): string {
  const all: Record<string, string | undefined> = {
    host: "127.0.0.1",
    ...(body !== undefined && {
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
    }),
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  return `${line} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body ?? ""}`;
}

const CALL = JSON.stringify({ name: "pay" });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const get = (path: string, headers: Parts["headers"] = {}) => http(`GET ${path}`, { headers });
const post = (path: string, body: string, headers: Parts["headers"] = {}) =>
  http(`POST ${path}`, { headers, body });
const callWith = (headers: Parts["headers"], body = CALL) => post("/api/v1/calls", body, headers);

export function attemptsOn(scene: Scene): Attempt[] {
  return [
    ...tokenAttempts(scene),
    ...scopeAttempts(scene),
    ...hostAttempts(),
    ...originAttempts(),
    ...bodyAttempts(),
    ...ambiguousAttempts(),
    ...framingAttempts(),
    ...pathAttempts(),
    ...queryAttempts(scene),
  ];
}

function tokenAttempts({ tokens, deferred }: Scene): Attempt[] {
  const { admin } = tokens;
  const off = admin.slice(0, -1) + (admin.endsWith("A") ? "B" : "A");
  const refused = (name: string, send: string): Attempt => ({ name, to: "tokens", send, status: 401 });
  return [
    refused("no token, list tools", get("/api/v1/tools")),
    refused("no token, call", callWith({})),
    refused("no token, the feed", get("/api/v1/events")),
    refused("no token, metrics", get("/metrics")),
    refused("no token, MCP", post("/mcp", '{"jsonrpc":"2.0","id":1,"method":"tools/list"}')),
    refused("no token, an artifact", get(`/api/v1/artifacts/art_${"0".repeat(40)}`)),
    refused("a token that nobody has", callWith(bearer("trg_nobody"))),
    refused("a token that is off by its last character", callWith(bearer(off))),
    refused("a token without its last character", callWith(bearer(admin.slice(0, -1)))),
    refused(
      "the hash in the place of the token",
      callWith(bearer(createHash("sha256").update(admin).digest("hex"))),
    ),
    refused("an expired token", callWith(bearer(tokens.expired))),
    refused("a revoked token", callWith(bearer(tokens.revoked))),
    refused("the token in the query", get(`/api/v1/tools?token=${admin}`)),
    refused(
      "the token in a cookie",
      get("/api/v1/tools", { cookie: `token=${admin}; authorization=Bearer ${admin}` }),
    ),
    refused(
      "the token as a password",
      get("/api/v1/tools", { authorization: `Basic ${btoa(`x:${admin}`)}` }),
    ),
    refused(
      "a result with a server's token",
      post(`/api/v1/calls/${deferred}/result`, '{"value":1}', bearer(admin)),
    ),
    refused(
      "a result of a call that there is not",
      post("/api/v1/calls/exec_none/result", '{"value":1}', bearer("x")),
    ),
    {
      name: "no more wrong tokens from one address",
      to: "tokens",
      send: callWith(bearer("x")),
      status: 429,
      says: "retry-after",
      times: 40,
    },
  ];
}

function scopeAttempts({ tokens, asked, deferred }: Scene): Attempt[] {
  const refused = (name: string, send: string, status = 403): Attempt => ({
    name,
    to: "tokens",
    send,
    status,
  });
  return [
    refused("read calls a tool", callWith(bearer(tokens.reader))),
    refused("read approves", post(`/api/v1/inbox/${asked}:approval/approve`, "{}", bearer(tokens.reader))),
    refused("call reads records", get("/api/v1/records", bearer(tokens.caller))),
    refused("call reads who was denied", get("/api/v1/denied", bearer(tokens.caller))),
    refused(
      "call changes a description",
      http("PUT /api/v1/tools/add/description", {
        headers: bearer(tokens.caller),
        body: '{"description":"x"}',
      }),
    ),
    refused("approve calls a tool", callWith(bearer(tokens.approver))),
    refused("one tool's token starts a run", post("/api/v1/runs", '{"input":"x"}', bearer(tokens.narrow))),
    refused("one tool's token reads the inbox", get("/api/v1/inbox", bearer(tokens.narrow))),
    {
      ...refused("one tool's token calls another", callWith(bearer(tokens.narrow)), 200),
      says: '"isError":true',
    },
    refused("one tool's token looks at another", get("/api/v1/tools/pay", bearer(tokens.narrow)), 404),
    refused(
      "one tool's token cancels another's call",
      post(`/api/v1/calls/${deferred}/cancel`, "{}", bearer(tokens.narrow)),
    ),
    refused(
      "whoever made a call approves it",
      post(`/api/v1/inbox/${asked}:approval/approve`, "{}", bearer(tokens.both)),
      409,
    ),
    refused(
      "a result without the call's token",
      post(`/api/v1/calls/${deferred}/result`, '{"value":1}'),
      401,
    ),
    refused(
      "one tool's token starts the demonstration",
      post("/api/v1/demo/start", "", bearer(tokens.narrow)),
    ),
    {
      ...refused("more requests than a token may send", get("/api/v1/server", bearer(tokens.quick)), 429),
      times: 70,
      says: "retry-after",
    },
  ];
}

function hostAttempts(): Attempt[] {
  const under = (host: string | undefined, status: number): Attempt => ({
    name: `under the name ${host ?? "of nobody"}`,
    to: "open",
    send: callWith({ host }),
    status,
  });
  return [
    under("evil.example", 421),
    under("127.0.0.1.evil.example", 421),
    under("localhost.evil.example:7420", 421),
    under("localhost.", 421),
    under("0.0.0.0", 421),
    under("[::ffff:127.0.0.1]", 400),
    under("127.0.0.1@evil.example", 400),
    under("localhost/evil", 400),
    under("localhost, evil.example", 400),
    under("", 400),
    under(undefined, 400),
    { name: "two names", to: "open", send: callWith({ Host: "evil.example" }), status: 400 },
    {
      name: "a name in the target",
      to: "open",
      send: http("GET http://evil.example/api/v1/tools"),
      status: 400,
    },
    {
      name: "the console under another name",
      to: "open",
      send: get("/", { host: "evil.example" }),
      status: 421,
    },
    {
      name: "MCP under another name",
      to: "open",
      send: post("/mcp", "{}", { host: "evil.example" }),
      status: 421,
    },
  ];
}

function originAttempts(): Attempt[] {
  const from = (origin: string): Attempt => ({
    name: `from a page of ${origin}`,
    to: "open",
    send: callWith({ origin }),
    status: 403,
  });
  const typed = (type: string | undefined): Attempt => ({
    name: `a body of ${type ?? "no type"}`,
    to: "open",
    send: callWith({ "content-type": type }),
    status: 415,
  });
  const hints = { "access-control-request-method": "POST", "access-control-request-headers": "content-type" };
  return [
    from("https://evil.example"),
    from("null"),
    from("http://localhost:3000"),
    from("http://127.0.0.1.evil.example"),
    {
      name: "an image of another site",
      to: "open",
      send: get("/api/v1/records/export", { "sec-fetch-site": "cross-site" }),
      status: 403,
    },
    {
      name: "a preflight of another site",
      to: "open",
      send: http("OPTIONS /api/v1/calls", { headers: { origin: "https://evil.example", ...hints } }),
      status: 403,
    },
    {
      name: "a page of another site, MCP",
      to: "open",
      send: post("/mcp", "{}", { origin: "https://evil.example" }),
      status: 403,
    },
    typed("text/plain"),
    typed("application/x-www-form-urlencoded"),
    typed("multipart/form-data; boundary=x"),
    typed(undefined),
  ];
}

function bodyAttempts(): Attempt[] {
  const refused = (name: string, body: string, status = 422): Attempt => ({
    name,
    to: "open",
    send: callWith({}, body),
    status,
  });
  const large = JSON.stringify({ name: "pay", arguments: { x: "x".repeat(MAX_BODY) } });
  const deep = `{"name":"pay","arguments":${'{"a":'.repeat(100)}1${"}".repeat(100)}}`;
  const chunked = { "content-length": undefined, "transfer-encoding": "chunked" };
  const slow = callWith({ "content-length": "100" }, '{"name"');
  return [
    refused("a body that is too large", large, 413),
    {
      name: "a body that says it is too large",
      to: "open",
      send: callWith({ "content-length": "99999999999" }, "{"),
      status: 413,
    },
    {
      name: "a body that is too large, in chunks",
      to: "open",
      send: callWith(chunked, `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`),
      status: 413,
    },
    {
      name: "a body that never ends",
      to: "open",
      send: { pieces: [slow, " ", " ", " "], pauseMs: 400 },
      status: 408,
    },
    {
      name: "headers that never end",
      to: "open",
      send: {
        pieces: ["GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n", "a: b\r\n", "c: d\r\n", "e: f\r\n"],
        pauseMs: 400,
      },
      status: 408,
    },
    refused("no JSON", "name=pay", 400),
    refused("half of JSON", '{"name": "pa', 400),
    refused("JSON twice", '{"name":"pay"}{"name":"pay"}', 400),
    refused("no body", ""),
    refused("a list", '[{"name":"pay"}]'),
    refused("null", "null"),
    refused("deeper than anything means", deep),
    refused("__proto__ of the request", '{"name":"pay","__proto__":{"polluted":true}}'),
    refused("__proto__ of the arguments", '{"name":"pay","arguments":{"__proto__":{"polluted":true}}}'),
    refused(
      "__proto__ deeper in the arguments",
      '{"name":"pay","arguments":{"a":[{"__proto__":{"polluted":true}}]}}',
    ),
    refused("__proto__ with escapes", '{"name":"pay","arguments":{"__pro\\u0074o__":{"polluted":true}}}'),
    refused("constructor.prototype", '{"name":"pay","constructor":{"prototype":{"polluted":true}}}'),
    refused("a field that there is not", '{"name":"pay","principal":{"id":"admin"}}'),
    refused("an execution of one's own choice", '{"name":"pay","executionId":"exec_1"}'),
    refused("a name of 300 characters", JSON.stringify({ name: "x".repeat(300) })),
    refused("a name that is none", '{"name":{"$ne":null}}'),
    {
      name: "a batch of 101",
      to: "open",
      send: post(
        "/api/v1/calls/batch",
        JSON.stringify({ calls: Array.from({ length: 101 }, () => ({ name: "pay" })) }),
      ),
      status: 422,
    },
    { name: "a batch of none", to: "open", send: post("/api/v1/calls/batch", '{"calls":[]}'), status: 422 },
    {
      name: "a key of 300 characters",
      to: "open",
      send: callWith({ "idempotency-key": "k".repeat(300) }),
      status: 422,
    },
  ];
}

/** JSON that two readers may understand differently, at both doors. */
function ambiguousAttempts(): Attempt[] {
  const accept = { accept: "application/json, text/event-stream" };
  const message = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
  const atBoth = (name: string, body: string, status: number, says: string): Attempt[] => [
    { name: `${name}, API`, to: "open", send: callWith({}, body), status, says },
    { name: `${name}, MCP`, to: "open", send: post("/mcp", message(body), accept), status: 400, says },
  ];
  return [
    ...atBoth("a name twice", '{"name":"add","name":"pay"}', 400, "twice in one object"),
    ...atBoth(
      "an argument twice, once with escapes",
      '{"name":"pay","arguments":{"amount":1,"\\u0061mount":1000000}}',
      400,
      "twice in one object",
    ),
    ...atBoth(
      "a whole number that would become another",
      '{"name":"pay","arguments":{"amount":9007199254740993}}',
      422,
      "Send it as a string",
    ),
  ];
}

function framingAttempts(): Attempt[] {
  const refused = (name: string, send: string, status = 400): Attempt => ({ name, to: "open", send, status });
  return [
    refused("two lengths", callWith({ "Content-Length": "5" })),
    refused("a length and chunks", callWith({ "transfer-encoding": "chunked" })),
    refused("a header that goes on in the next line", callWith({ "x-a": "b\r\n c: d" })),
    refused("a header with a line feed", callWith({ "x-a": "b\nhost: evil.example" })),
    refused("a header with a NUL", callWith({ "x-a": "b\0c" })),
    refused("a space before the colon", callWith({ "host ": "evil.example" })),
    refused("headers of 20,000 bytes", callWith({ "x-a": "x".repeat(20_000) }), 431),
    refused("no HTTP", "hello\r\n\r\n"),
    refused("HTTP/2 without being asked", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    refused("TRACE", http("TRACE /api/v1/server")),
    refused("CONNECT", http("CONNECT 127.0.0.1:22"), 0),
    refused("a method that is not served there", http("DELETE /api/v1/server"), 405),
    refused("HEAD of a stream", http("HEAD /api/v1/events"), 405),
    refused("PATCH", http("PATCH /api/v1/calls", { body: "{}" }), 405),
  ];
}

function pathAttempts(): Attempt[] {
  const at = (path: string, status = 400): Attempt => ({
    name: `GET ${path}`,
    to: "open",
    send: get(path),
    status,
  });
  return [
    at("/../../etc/passwd"),
    at("/assets/../../package.json"),
    at("/%2e%2e/%2e%2e/etc/passwd"),
    at("/assets/..%2f..%2fpackage.json"),
    at("/..\\..\\windows\\win.ini"),
    at("/%5c..%5c..%5cwin.ini"),
    at("/index.html%00.js"),
    at("/%0d%0aset-cookie:%20a=b"),
    at("//evil.example/"),
    at("/api/v1/artifacts/..%2f..%2fetc%2fpasswd"),
    at("/api/v1/artifacts/art_zzz", 404),
    at("/api/v1/tools/__proto__", 404),
    at("/api/v1/problems/constructor", 404),
    at("/assets/missing.js", 404),
    at("/api/v2/tools", 404),
  ];
}

function queryAttempts({ asked }: Scene): Attempt[] {
  const at = (path: string, status = 422): Attempt => ({
    name: `GET ${path}`,
    to: "open",
    send: get(path),
    status,
  });
  return [
    at("/api/v1/records?limit=100000"),
    at("/api/v1/records?limit=ten"),
    at("/api/v1/records?cursor=1%3BDROP%20TABLE%20records"),
    at("/api/v1/records?tol=add"),
    at("/api/v1/records?tool=add&tool=pay"),
    at("/api/v1/records?__proto__=1"),
    at(`/api/v1/inbox/${asked}:result`, 404),
    at("/api/v1/calls/nothing/story", 404),
  ];
}
