import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { project, toolrig } from "../../test/toolrig-process.ts";

const config = JSON.stringify({ store: "toolrig.db" });

test("tokens that were changed from the command line are in the audit chain, with their author", async () => {
  const cwd = project({ "toolrig.config.json": config });
  const run = (...args: string[]) => toolrig(args, { cwd });
  const made = await run("token", "new", "ci", "--scope", "call", "--json");
  const { id, token } = JSON.parse(made.stdout) as { id: string; token: string };
  await run("token", "revoke", "ci");
  const changes = await run("audit", "changes", "--json");
  const by = { id: expect.any(String) };
  expect(JSON.parse(changes.stdout)).toMatchObject([
    { action: "token.revoked", subject: "ci", by, details: { revoked: 1 } },
    { action: "token.made", subject: id, by, details: { principal: { id: "ci" }, scopes: ["call"] } },
  ]);
  expect(changes.stdout).not.toContain(token);
  expect(await run("audit", "verify")).toMatchObject({ code: 0, stdout: expect.stringContaining("ok\t") });
  expect((await run("audit", "changes")).stdout.split("\n")).toHaveLength(3);
});

test("a policy is in the audit chain once a server applies it, and once only", async () => {
  const cwd = project({});
  const serveWith = async (policy?: object) => {
    writeFileSync(join(cwd, "toolrig.config.json"), JSON.stringify({ store: "toolrig.db", policy }));
    return toolrig(["mcp"], { cwd, input: "" });
  };
  const strict = { profile: "strict" };
  for (const policy of [undefined, strict, strict, { profile: "standard" }, undefined])
    await serveWith(policy);
  const { stdout } = await toolrig(["audit", "changes", "--json"], { cwd });
  expect(JSON.parse(stdout)).toMatchObject([
    { action: "policy.applied", details: { policy: null }, by: { id: expect.any(String) } },
    { action: "policy.applied", details: { policy: { profile: "standard" } } },
    { action: "policy.applied", details: { policy: strict } },
  ]);
  expect(await toolrig(["audit", "verify"], { cwd })).toMatchObject({ code: 0 });
});
