import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { served } from "../../test/served.ts";
import { TokenFile } from "./token-file.ts";

const fresh = () => new TokenFile(join(mkdtempSync(join(tmpdir(), "tokens-")), "tokens.json"));

/** Another process that changes the file until it is done. */
async function elsewhere(path: string, code: string): Promise<void> {
  const module = JSON.stringify(join(import.meta.dirname, "token-file.ts"));
  const script = join(mkdtempSync(join(tmpdir(), "script-")), "change.ts");
  writeFileSync(
    script,
    `import { TokenFile } from ${module};\nconst file = new TokenFile(${JSON.stringify(path)});\n${code}`,
  );
  const child = spawn(process.execPath, ["--conditions=@toolrig/source", script], { stdio: "inherit" });
  expect(await once(child, "exit")).toEqual([0, null]);
}

test("several processes at once lose no new token, and bring back none that was revoked", async () => {
  const file = fresh();
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  for (const n of numbers) file.add(`old${n}`, ["admin"]);
  await Promise.all([
    elsewhere(file.path, `for (let n = 0; n < 20; n++) file.revoke("old" + n);`),
    elsewhere(file.path, `for (let n = 0; n < 20; n++) file.add("new" + n, ["read"]);`),
    elsewhere(file.path, `for (let n = 0; n < 20; n++) file.add("more" + n, ["read"]);`),
  ]);
  const left = file.list().map(({ principal }) => principal.id);
  expect(left.sort()).toEqual([...numbers.map((n) => `new${n}`), ...numbers.map((n) => `more${n}`)].sort());
});

test("a token for nobody is not made: the file stays good", () => {
  const file = fresh();
  file.add("ann", ["read"]);
  const before = readFileSync(file.path, "utf8");
  for (const name of ["", " "])
    expect(() => file.add(name, ["read"])).toThrow(/principal must be a principal with an id/);
  expect(() => file.add("bob", ["everything" as never])).toThrow(/scopes/);
  expect(() => file.add("bob", ["read"], Number.NaN)).toThrow(/expiresAt/);
  expect(readFileSync(file.path, "utf8")).toBe(before);
});

test("a file that is opened to others while the server runs lets nobody in, until it is closed again", async () => {
  const file = fresh();
  const { token } = file.add("ann", ["read"]);
  const server = await served({ tokens: file });
  const status = async () => (await server.ask("/api/v1/tools", { as: token })).status;
  expect(await status()).toBe(200);
  chmodSync(file.path, 0o644);
  await expect.poll(status).toBe(401);
  chmodSync(file.path, 0o600);
  await expect.poll(status).toBe(200);
  await server.end();
});
