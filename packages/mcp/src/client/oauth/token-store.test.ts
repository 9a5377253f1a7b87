import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TokenStore } from "./token-store.ts";

const folder = mkdtempSync(join(tmpdir(), "toolrig-tokens-"));
const path = join(folder, "inner", "tokens.json");
const owner = { principal: "ada", connection: "docs", url: "https://docs.example.com/mcp" };
const tokens = { as: { access_token: "secret", token_type: "Bearer" } };

test("tokens are kept for one principal, one connection and one address, where nobody else reads them", () => {
  new TokenStore(path).set(owner, { clients: {}, tokens, issuer: "as" });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const store = new TokenStore(path);
  expect(store.get(owner)).toEqual({ clients: {}, tokens, issuer: "as" });
  for (const other of [
    { ...owner, principal: "bob" },
    { ...owner, connection: "other" },
    { ...owner, url: "https://elsewhere.example.com/mcp" },
  ])
    expect(store.get(other)).toEqual({ clients: {}, tokens: {} });
  expect(readFileSync(path, "utf8")).toContain("secret");
});

test("a file that others may read is not used", () => {
  chmodSync(path, 0o644);
  expect(() => new TokenStore(path).get(owner)).toThrow(/others may read it; chmod 600/);
  rmSync(folder, { recursive: true });
});
