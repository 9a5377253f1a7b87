import { expect, test } from "vitest";
import { settingsFrom } from "./settings.ts";

const sha256 = "a".repeat(64);

test.each<[given: object, message: string]>([
  [{ prot: 1 }, 'Unknown option "prot" for serve. Did you mean "port"?'],
  [{ port: 70_000 }, "port must be a whole number from 0 to 65535; got 70000."],
  [{ port: "80" }, 'port must be a whole number from 0 to 65535; got "80".'],
  [{ host: "" }, "host must be a non-empty string"],
  [{ names: ["tools.example.com:80"] }, "names[0] must be a name without port"],
  [{ origins: ["https://app.example.com/path"] }, "origins[0] must be an origin"],
  [{ tokens: [] }, "tokens must be a list of at least one token"],
  [{ tokens: "secret" }, "tokens must be a list of tokens, or a source of some; got a string."],
  [
    { tokens: [{ sha256: "trg_secret" }] },
    'tokens[0].sha256 must be the SHA-256 of a token in hex; got "something else".',
  ],
  [{ tokens: [{ sha256, principal: { id: " " } }] }, "tokens[0].principal must be a principal with an id"],
  [{ tokens: [{ sha256, scopes: ["everything"] }] }, "tokens[0].scopes[0] must be one of read, call"],
  [
    { tokens: [{ sha256, expiresAt: "soon" }] },
    'tokens[0].expiresAt must be a time in epoch milliseconds; got "soon".',
  ],
  [{ limits: { body: 10 } }, "limits.body must be a whole number of at least 1000"],
  [{ limits: { idleTimeout: "soon" } }, "limits.idleTimeout must be a duration above 0 and up to 24 days"],
  [
    { limits: { rate: { per: "1m" } } },
    "limits.rate.limit must be a whole number of at least 1; got undefined.",
  ],
  [{ limits: { rate: { limit: 5, per: 0 } } }, "limits.rate.per must be a duration above 0"],
  [{ console: true }, "console must be a folder, or false for no console"],
  [{ mcp: "no" }, "mcp must be true or false"],
  [{ fleet: {} }, "fleet must be a fleet"],
  [{ onError: 1 }, "onError must be a function"],
])("a server with %o is refused", (given, message) => {
  expect(() => settingsFrom(given)).toThrow(message);
});

test("limits that are not given have their defaults", () => {
  const { limits, port } = settingsFrom({ limits: { calls: 2 } });
  expect(port).toBe(7420);
  expect(limits).toMatchObject({
    calls: 2,
    queue: 256,
    idleMs: 30_000,
    rate: { limit: 6_000, perMs: 60_000 },
  });
});
