/** Configurations that are made are ones that nats-server takes, and mean what their plan says. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, nkeys } from "@nats-io/transport-node";
import { expect, test } from "vitest";
import { freePort, startNats } from "../../../../scripts/start-nats.ts";
import { open } from "../wire/connection.ts";
import type { ServerPlan } from "./server-config/plan.ts";
import { serverConfig } from "./server-config.ts";

const plan: ServerPlan = { workers: { office: ["search_docs@2"] }, callers: { desk: ["search_docs"] } };
const newSeed = () => Buffer.from(nkeys.createUser().getSeed()).toString();

test("callers with names that mean something in a configuration or in JavaScript log in to accounts of their own", async () => {
  const names = ["true", "include", "10k", "constructor", "-"];
  const callers = Object.fromEntries(names.map((name) => [name, ["search_docs"]]));
  const port = await freePort();
  const store = mkdtempSync(join(tmpdir(), "toolrig-plan-"));
  const listen = `127.0.0.1:${port}`;
  const { text, seeds } = serverConfig({ ...plan, callers, seeds: { true: newSeed() }, listen, store });
  const server = await startNats({ port, config: text });
  try {
    for (const name of names) {
      const connection = await open({ servers: server.url, seed: seeds[name] ?? "" }, name);
      expect(connection.isClosed(), name).toBe(false);
      await connection.close();
    }
    await expect(connect({ servers: server.url })).rejects.toThrow("Authorization");
  } finally {
    await server.close();
    rmSync(store, { recursive: true });
  }
});

test.each([
  ["of another user", { desk: "same", office: "same" }, "a seed of its own"],
  ["of somebody who takes no part", { stranger: "any" }, "stranger"],
] as const)("a seed %s is refused, and not shown", (_, given, reason) => {
  const made = new Map(Object.values(given).map((each) => [each, newSeed()]));
  const seeds = Object.fromEntries(Object.entries(given).map(([user, each]) => [user, made.get(each) ?? ""]));
  expect(() => serverConfig({ ...plan, seeds })).toThrow(reason);
  for (const seed of made.values()) expect(() => serverConfig({ ...plan, seeds })).not.toThrow(seed);
});

test("a plan is refused where names are taken, tools are nobody's or certificates are missing", () => {
  const refused = (wrong: Partial<ServerPlan>) => expect(() => serverConfig({ ...plan, ...wrong }));
  refused({ callers: { id: ["search_docs"] } }).toThrow("one of its own");
  refused({ callers: { office: ["search_docs"] } }).toThrow("one of its own");
  refused({ callers: { desk: ["search_docs@3"] } }).toThrow("one that a worker runs");
  refused({ listen: "0.0.0.0:4222" }).toThrow("certificates, to listen on");
  refused({ tls: { cert: "a.pem" } as never }).toThrow("key");
});

test("a seed beside an authenticator is refused", async () => {
  const options = { servers: "nats://127.0.0.1:1", seed: newSeed(), authenticator: () => ({}) as never };
  await expect(open(options, "both")).rejects.toMatchObject({ code: "OPTION_INVALID" });
});
