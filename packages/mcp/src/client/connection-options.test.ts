import { Registry } from "@toolrig/core";
import { expect, test } from "vitest";
import { connectMcp } from "./connect-mcp.ts";
import { checkConnection } from "./connection-options.ts";

const url = "https://example.com/mcp";

test.each([
  [{ url, headers: { "x y": "1" } }, "headers.x y"],
  [{ url, headers: { x: "1\r\ny: 2" } }, "headers.x"],
  [{ command: "x", env: { "A=B": "1" } }, "env.A=B"],
  [{ command: "x", cwd: 5 as never }, "cwd"],
  [{ command: "x", args: ["a\0b"] }, "zero byte"],
  [{ command: "x", headers: { a: "b" } }, "headers"],
  [{ url, args: ["a"] }, "args"],
  [{ url, auth: true as never }, "auth"],
  [{ url, auth: { clientId: 5 as never } }, "auth.clientId must be a non-empty string; got 5"],
  [{ url, auth: { callbackPort: 70_000 } }, "auth.callbackPort must be a whole number from 1 to 65535"],
  [{ url: 5 as never }, "url must be an http or https address; got 5"],
  [{ url, timeout: "soon" as never }, "timeout must be a duration"],
  [{ url, trust: "all" as never }, 'trust must be "none" or "annotations"'],
  [{ url, limits: { tools: 0 } }, "limits.tools must be a whole number of at least 1"],
  [{ url, limits: { tolls: 5 } as never }, 'Did you mean "tools"'],
])("%j cannot be used, and is refused by name", (options, named) => {
  expect(() => checkConnection("docs", options)).toThrow(named);
});

test.each([undefined, null, {}, { registry: {} }, { registry: new Registry(), store: 5 }])(
  "%j is no rig to connect servers to",
  (host) => {
    expect(() => connectMcp(host as never)).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
  },
);
