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
])("%j cannot be used, and is refused by name", (options, named) => {
  expect(() => checkConnection("docs", options)).toThrow(named);
});

test.each([undefined, null, {}, { registry: {} }, { registry: new Registry(), store: 5 }])(
  "%j is no rig to connect servers to",
  (host) => {
    expect(() => connectMcp(host as never)).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
  },
);
