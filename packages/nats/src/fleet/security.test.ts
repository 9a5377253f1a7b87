/** The example configuration holds what it says, and every way to log in passes through. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { createAccount, createOperator, createUser, type KeyPair } from "@nats-io/nkeys";
import {
  connect,
  credsAuthenticator,
  headers,
  type NatsConnection,
  nkeyAuthenticator,
} from "@nats-io/transport-node";
import { scriptedTool } from "@toolrig/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HANG_MS } from "../../../../scripts/hang-limit.ts";
import { type ConfiguredNats, startConfiguredNats } from "../../../../scripts/start-configured-nats.ts";
import { startNats } from "../../../../scripts/start-nats.ts";
import { NatsExecutor } from "../caller/executor.ts";
import type { NatsOptions } from "../wire/connection.ts";
import { NatsWorker } from "../worker/worker.ts";
import { DeadLetters } from "./dead-letters.ts";

const fleet = { ackWait: "1s" } as const;
/** How long an answer may take on a machine that is busy. */
const patient = { timeout: HANG_MS };

describe("the example configuration", () => {
  const open: { close(): Promise<void> }[] = [];
  let server: ConfiguredNats;
  const search = scriptedTool({ name: "search_docs" });
  let release = () => {};
  const hold = () =>
    new Promise((resolve) => {
      release = () => resolve("sent");
    });
  const mail = scriptedTool({
    name: "send_mail",
    script: [(args) => ("wait" in (args as object) ? hold() : ((args as { echo?: string }).echo ?? "ok"))],
  });
  const login = (user: string): NatsOptions => server.login(user);

  beforeAll(async () => {
    server = await startConfiguredNats("fleet.conf");
    const admin = await NatsExecutor.connect({ nats: login("admin"), fleet });
    await admin.close();
    for (const [user, tool] of [
      ["search-worker", search],
      ["mail-worker", mail],
    ] as const) {
      const worker = new NatsWorker({ nats: login(user), fleet, tools: [tool] });
      await worker.start();
      open.push({ close: () => worker.stop("1s") });
    }
  });

  afterAll(async () => {
    await Promise.all(open.map((each) => each.close()));
    await server.close();
  });

  async function caller(user: string): Promise<NatsExecutor> {
    const executor = await NatsExecutor.connect({
      nats: login(user),
      fleet,
      caller: user,
      queueTimeout: "10s",
    });
    open.push(executor);
    return executor;
  }

  /** What the server says when somebody does what they may not. */
  async function denials(user: string, act: (connection: NatsConnection) => unknown): Promise<string[]> {
    const connection = await connect(login(user));
    const said: string[] = [];
    void (async () => {
      for await (const status of connection.status())
        if (status.type === "error") said.push(status.error.message);
    })();
    await Promise.resolve(act(connection)).catch(() => {});
    await connection.flush();
    await expect.poll(() => said.length).toBeGreaterThan(0);
    await connection.close();
    return said;
  }

  test("callers can call the tools that are theirs, and cancel, and come back", async () => {
    const desk = await caller("desk");
    for (const name of ["search_docs", "send_mail"])
      expect((await desk.call({ id: "c", name, arguments: {} }, { executionId: `e-${name}` })).isError).toBe(
        false,
      );
    expect((await desk.resultOf("e-send_mail"))?.isError).toBe(false);
    expect((await desk.fleet()).offers().map(({ name }) => name)).toEqual(["search_docs", "send_mail"]);
  });

  test("large arguments and large results travel with what everybody may do", async () => {
    const desk = await caller("desk");
    const large = "x".repeat(2_500_000);
    const echoed = await desk.call({ id: "c", name: "send_mail", arguments: { echo: large } });
    expect(echoed.failure).toBeUndefined();
    expect(echoed.value).toBe(large);
    const said = await denials("site", (connection) =>
      connection.request("$JS.API.DIRECT.GET.KV_AGENT_OBJECTS.$KV.AGENT_OBJECTS.desk.x.call.0", "", {
        timeout: 500,
      }),
    );
    expect(said.join()).toContain("AGENT_OBJECTS");
  });

  test("a caller cannot call another tool, under its subject or another's", async () => {
    const site = await caller("site");
    expect((await site.call({ id: "c", name: "search_docs", arguments: {} })).isError).toBe(false);
    const { failure } = await site.call({ id: "c", name: "send_mail", arguments: {} });
    expect(failure?.code).toBe("TOOL_NOT_ALLOWED");
    const before = { search: search.calls.length, mail: mail.calls.length };
    const sneaky = await connect(login("site"));
    sneaky.publish("tool.execute.search_docs", JSON.stringify({ id: "sneaky", name: "send_mail" }));
    await sneaky.flush();
    await sneaky.close();
    const letters = await DeadLetters.connect({ nats: login("admin"), fleet });
    await expect
      .poll(async () => (await letters.list()).map(({ reason }) => reason))
      .toContain("a call of send_mail does not belong on tool.execute.search_docs");
    await letters.close();
    expect({ search: search.calls.length, mail: mail.calls.length }).toEqual(before);
  });

  test("a caller sees and writes nothing of another's", async () => {
    await denials("site", (connection) => connection.subscribe("tool.result.desk.*"));
    await denials("site", (connection) => connection.publish("$KV.TOOL_LEDGER.desk.x", "{}"));
    await denials("site", (connection) => connection.publish("tool.cancel.desk.x"));
    await denials("site", (connection) =>
      connection.request("$JS.API.DIRECT.GET.KV_TOOL_LEDGER.$KV.TOOL_LEDGER.desk.e-send_mail", "", {
        timeout: 500,
      }),
    );
  });

  test("no header of a caller reaches beyond its own keys", async () => {
    const desk = await caller("desk");
    const call = { id: "c", name: "send_mail", arguments: {} };
    await desk.call(call, { executionId: "kept" });
    const before = mail.calls.length;
    const site = await connect(login("site"));
    for (const [name, value] of [
      ["Nats-Rollup", "all"],
      ["Nats-Rollup", "sub"],
      ["Nats-TTL", "1s"],
      ["Nats-Schedule", "@every 1s"],
      ["KV-Operation", "PURGE"],
    ] as const) {
      for (const subject of [
        "$KV.TOOL_LEDGER.site.z",
        "$KV.AGENT_OBJECTS.site.z.0",
        "tool.execute.search_docs",
      ]) {
        const fields = headers();
        fields.set(name, value);
        fields.set("Nats-Schedule-Target", "$KV.TOOL_LEDGER.desk.kept");
        await site.request(subject, "{}", { headers: fields, ...patient });
      }
    }
    await site.close();
    const again = await desk.call(call, { executionId: "kept" });
    expect(again).toMatchObject({ isError: false, replayed: true });
    expect(mail.calls.length).toBe(before);
  });

  test("a stream that a header could empty is refused, with the command that changes it", async () => {
    const admin = await connect(login("admin"));
    const { streams } = await jetstreamManager(admin);
    await streams.update("KV_AGENT_OBJECTS", { allow_rollup_hdrs: true });
    await expect(caller("desk")).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining("nats stream edit KV_AGENT_OBJECTS --no-allow-rollup"),
    });
    await (await NatsExecutor.connect({ nats: login("admin"), fleet })).close();
    expect((await streams.info("KV_AGENT_OBJECTS")).config.allow_rollup_hdrs).toBe(false);
    await admin.close();
  });

  test("nobody but the admin touches streams, and a worker consumes only its own tool", async () => {
    await denials("desk", async (connection) =>
      (await jetstreamManager(connection, { checkAPI: false })).streams.purge("AGENT"),
    );
    await denials("desk", (connection) =>
      connection.publish("$JS.API.CONSUMER.MSG.NEXT.AGENT.tool-exec-search-docs", "{}"),
    );
    await denials("search-worker", (connection) =>
      connection.publish("$JS.API.CONSUMER.MSG.NEXT.AGENT.tool-exec-send-mail", "{}"),
    );
    await denials("search-worker", (connection) => connection.publish("tool.execute.send_mail", "{}"));
    const greedy = new NatsWorker({
      nats: login("search-worker"),
      fleet,
      tools: [scriptedTool({ name: "send_mail" })],
    });
    await expect(greedy.start()).rejects.toThrow('"$JS.API.CONSUMER.INFO.AGENT.tool-exec-send-mail"');
  });

  test("what a caller lets the server say is not believed: no call, no result, no entry, no cancellation, no card", async () => {
    const desk = await caller("desk");
    const site = await connect(login("site"));
    const before = mail.calls.length;
    const say = (key: string, text: string) => site.request(`$KV.TOOL_LEDGER.site.${key}`, text, patient);
    /** The server publishes what it keeps under site's key, on a subject that site may not use. */
    const relay = (key: string, subject: string) =>
      site.publish(`$JS.API.DIRECT.GET.KV_TOOL_LEDGER.$KV.TOOL_LEDGER.site.${key}`, "", { reply: subject });
    await say(
      "call",
      '{"id":"forged","name":"send_mail","arguments":{},"options":{"principal":{"id":"ceo"}}}',
    );
    relay("call", "tool.execute.send_mail");
    const letters = await DeadLetters.connect({ nats: login("admin"), fleet });
    await expect
      .poll(async () => (await letters.list()).map(({ reason }) => reason).join())
      .toContain("the server published it as its answer");
    await letters.close();
    expect(mail.calls.length).toBe(before);

    const asked = desk.call(
      { id: "c", name: "send_mail", arguments: { wait: true } },
      { executionId: "forge-me" },
    );
    await expect.poll(() => mail.calls.length).toBe(before + 1);
    const forged = { callId: "c", executionId: "forge-me", name: "send_mail", isError: false, content: [] };
    await say("final", JSON.stringify({ state: "final", fingerprint: "x", at: 1, result: forged }));
    relay("final", "tool.result.desk.forge-me");
    relay("final", "tool.cancel.desk.forge-me");
    relay("final", "$KV.TOOL_LEDGER.desk.beforehand");
    await say("card", JSON.stringify({ id: "evil", startedAt: 1, at: 1, running: 0, tools: [] }));
    relay("card", "$KV.AGENT_WORKERS.evil");
    await site.flush();
    const planted = await desk.resultOf("beforehand").catch(() => undefined);
    expect(planted?.isError ?? true).toBe(true);
    expect((await desk.fleet()).workers().map(({ id }) => id)).not.toContain("evil");
    const later = await caller("desk");
    expect((await later.fleet()).workers().map(({ id }) => id)).not.toContain("evil");
    release();
    expect((await asked).value).toBe("sent");
    await site.close();
  });

  test("what a caller lets a worker answer goes to inboxes only: no cancellation, no entry, no call", async () => {
    const desk = await caller("desk");
    const [worker] = (await desk.fleet()).workers();
    const site = await connect(login("site"));
    const admin = await connect(login("admin"));
    const heard: string[] = [];
    for (const subject of ["tool.cancel.>", "tool.execute.>", "$KV.TOOL_LEDGER.>", "elsewhere"])
      admin.subscribe(subject, { callback: (_error, message) => void heard.push(message.subject) });
    await admin.flush();
    for (const reply of [
      "tool.cancel.desk.x",
      "tool.execute.send_mail",
      "$KV.TOOL_LEDGER.desk.x",
      "elsewhere",
    ])
      for (const subject of [`tool.worker.${worker?.id}`, "tool.list"]) site.publish(subject, "x", { reply });
    // Asked after the others, and so answered after them.
    expect((await site.request(`tool.worker.${worker?.id}`, "x", patient)).string()).toBe("no");
    await expect
      .poll(async () => (await site.request("tool.list", "", patient)).json())
      .toHaveProperty("tools");
    await admin.flush();
    expect(heard).toEqual([]);
    await Promise.all([site.close(), admin.close()]);
    const nats = { ...login("desk"), inboxPrefix: "answers.desk" };
    await expect(NatsExecutor.connect({ nats, fleet })).rejects.toThrow("nats.inboxPrefix");
  });

  test("only an empty message cancels: an answer that the server is made to give does not", async () => {
    const desk = await caller("desk");
    const before = mail.calls.length;
    const call = { id: "c", name: "send_mail", arguments: { wait: true } };
    const asked = desk.call(call, { executionId: "acked" });
    await expect.poll(() => mail.calls.length).toBe(before + 1);
    const site = await connect(login("site"));
    const admin = await connect(login("admin"));
    const heard = new Promise((callback) => admin.subscribe("tool.cancel.>", { max: 1, callback }));
    await admin.flush();
    // The server says that it stored something, without any header.
    site.publish("$KV.TOOL_LEDGER.site.x", "x", { reply: "tool.cancel.desk.acked" });
    await heard;
    // Who answers now has heard of it before.
    for (const { id } of (await desk.fleet()).workers())
      await admin.request(`tool.worker.${id}`, "x", patient);
    await Promise.all([site.close(), admin.close()]);
    release();
    expect((await asked).value).toBe("sent");
  });

  test("a wrong password gets nowhere", async () => {
    const nats = { ...login("desk"), pass: "guess", reconnect: false };
    await expect(NatsExecutor.connect({ nats, fleet })).rejects.toThrow("Authorization Violation");
  });
});

describe("a permission that is missing", () => {
  /** Starts a caller and a worker on the example configuration without some of its lines. */
  async function without(
    line: string,
    start: (server: ConfiguredNats) => Promise<unknown>,
    instead = "",
  ): Promise<string> {
    const server = await startConfiguredNats("fleet.conf", (text) => {
      expect(text).toContain(line);
      return text.replaceAll(line, instead);
    });
    try {
      await (await NatsExecutor.connect({ nats: server.login("admin"), fleet })).close();
      await start(server);
      return "nothing was missed";
    } catch (error) {
      return String(error);
    } finally {
      await server.close();
    }
  }
  const call = (server: ConfiguredNats) =>
    NatsExecutor.connect({ nats: server.login("desk"), fleet, caller: "desk" }).then((made) => made.close());
  const work = async (server: ConfiguredNats) => {
    const worker = new NatsWorker({
      nats: server.login("search-worker"),
      fleet,
      tools: [scriptedTool({ name: "search_docs" })],
    });
    await worker.start();
    await worker.stop();
  };

  test.each([
    ['"$KV.TOOL_LEDGER.desk.>",', call, 'publish: { allow: ["$KV.TOOL_LEDGER.desk.*"] }'],
    ['"tool.cancel.desk.>"', call, 'publish: { allow: ["tool.cancel.desk.*"] }'],
    ['"$KV.AGENT_OBJECTS.desk.>",', call, 'publish: { allow: ["$KV.AGENT_OBJECTS.desk.>"] }'],
    [
      '"tool.result.desk.*", "tool.update.desk.*"',
      call,
      'subscribe: { allow: ["tool.result.desk.*", "tool.update.desk.*"] }',
    ],
    ['"_INBOX_desk.>",', call, 'subscribe: { allow: ["_INBOX_desk.>"] }. Or set nats.inboxPrefix'],
    ['"$JS.API.STREAM.INFO.*",', call, 'add publish: { allow: ["$JS.API.STREAM.INFO.'],
    ['"tool.dlq.malformed",', work, 'publish: { allow: ["tool.dlq.malformed"] }'],
    ['"tool.cancel.>",', work, 'subscribe: { allow: ["tool.cancel.>"] }'],
    [
      '"$JS.ACK.AGENT.tool-exec-search-docs.>"',
      work,
      'publish: { allow: ["$JS.ACK.AGENT.tool-exec-search-docs.>"] }',
    ],
    ['"$KV.AGENT_WORKERS.*",', work, '"$KV.AGENT_WORKERS.*"'],
    ['"$KV.AGENT_WORKERS.*", "$JS', work, 'publish: { allow: ["$KV.AGENT_WORKERS.*"] }', '"$JS'],
    [
      '"$JS.API.DIRECT.GET.KV_AGENT_WORKERS.>"',
      work,
      'publish: { allow: ["$JS.API.DIRECT.GET.KV_AGENT_WORKERS.>"] }',
    ],
    ['"tool.result.*",', work, 'publish: { allow: ["tool.result.*"] }'],
    [
      '"$JS.API.CONSUMER.INFO.AGENT.tool-exec-search-docs"',
      work,
      'publish: { allow: ["$JS.API.CONSUMER.INFO.AGENT.tool-exec-search-docs"] }',
    ],
    [
      '"$JS.API.CONSUMER.CREATE.AGENT.tool-exec-search-docs.tool.execute.search_docs"',
      work,
      'publish: { allow: ["$JS.API.CONSUMER.CREATE.AGENT.tool-exec-search-docs.tool.execute.search_docs"] }',
    ],
    ["allow_responses: true", work, "allow_responses: true"],
  ] as const)(
    "such as %s is found at the start, with the line to add",
    async (line, start, says, instead: string = "") => {
      expect(await without(line, start, instead)).toContain(says);
    },
    60_000,
  );

  test("for a version is named with all others that the worker lacks", async () => {
    const server = await startConfiguredNats("fleet.conf");
    await (await NatsExecutor.connect({ nats: server.login("admin"), fleet })).close();
    const tools = [scriptedTool({ name: "search_docs", more: { version: "2.1.0" } })];
    const worker = new NatsWorker({ nats: server.login("search-worker"), fleet, tools });
    const consumer = "tool-exec-search-docs-v2";
    await expect(worker.start()).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      details: {
        publish: [
          `$JS.API.CONSUMER.INFO.AGENT.${consumer}`,
          `$JS.API.CONSUMER.CREATE.AGENT.${consumer}.tool.execute.search_docs.v2`,
          `$JS.API.CONSUMER.MSG.NEXT.AGENT.${consumer}`,
          `$JS.ACK.AGENT.${consumer}.>`,
          "tool.execute.search_docs.v2",
        ],
      },
    });
    await server.close();
  });

  test("that ends while a worker runs is counted", async () => {
    const server = await startConfiguredNats("fleet.conf");
    await (await NatsExecutor.connect({ nats: server.login("admin"), fleet })).close();
    const tools = [scriptedTool({ name: "search_docs" })];
    const worker = new NatsWorker({ nats: server.login("search-worker"), fleet, tools });
    await worker.start();
    await server.reload((text) => text.replaceAll('"tool.result.*",', ""));
    // The server takes its new configuration when it comes to it: calls before that are answered, connections are cut by it.
    let calls = 0;
    const refused = async () => {
      calls += 1;
      const site = await connect({ ...server.login("site"), reconnect: false }).catch(() => undefined);
      site?.publish("tool.execute.search_docs", JSON.stringify({ id: `c${calls}`, name: "search_docs" }));
      await site?.flush().catch(() => {});
      await site?.close();
      return worker.dataFlow().refused;
    };
    await expect.poll(refused).toBeGreaterThan(0);
    await worker.stop("1s");
    await server.close();
  });

  test("where nobody made the streams, the error says who must", async () => {
    const server = await startConfiguredNats("fleet.conf");
    await expect(call(server)).rejects.toThrow("let an admin connect first");
    await server.close();
  });
});

describe("logging in", () => {
  async function works(nats: NatsOptions): Promise<void> {
    const worker = new NatsWorker({ nats, fleet, tools: [scriptedTool({ name: "say_hello" })] });
    await worker.start();
    const executor = await NatsExecutor.connect({ nats, fleet });
    expect((await executor.call({ id: "c", name: "say_hello", arguments: {} })).isError).toBe(false);
    await executor.close();
    await worker.stop();
  }

  test.skipIf(!hasOpenssl())("with TLS and an NKEY", async () => {
    const folder = mkdtempSync(join(tmpdir(), "toolrig-tls-"));
    execFileSync(
      "openssl",
      [
        ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"],
        ...["-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")],
        ...["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
      ],
      { stdio: "ignore" },
    );
    const user = createUser();
    const server = await startNats({
      extra: `tls { cert_file: "${folder}/cert.pem", key_file: "${folder}/key.pem", timeout: 5 }
        authorization { users: [{ nkey: ${user.getPublicKey()} }] }`,
    });
    const servers = `tls://localhost:${server.port}`;
    const tls = { ca: readFileSync(join(folder, "cert.pem"), "utf8") };
    await works({ servers, tls, authenticator: nkeyAuthenticator(user.getSeed()) });
    const stranger = nkeyAuthenticator(createUser().getSeed());
    await expect(
      NatsExecutor.connect({ nats: { servers, tls, authenticator: stranger, reconnect: false } }),
    ).rejects.toThrow("No connection to NATS");
    await expect(
      NatsExecutor.connect({
        nats: { servers, authenticator: nkeyAuthenticator(user.getSeed()), reconnect: false },
      }),
    ).rejects.toThrow("No connection to NATS");
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("with JWT credentials", async () => {
    const [operator, account, user] = [createOperator(), createAccount(), createUser()];
    const system = createAccount();
    const limits = {
      subs: -1,
      data: -1,
      payload: -1,
      conn: -1,
      leaf: -1,
      imports: -1,
      exports: -1,
      wildcards: true,
    };
    const stored = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
    const accountToken = token(operator, account.getPublicKey(), "TOOLS", {
      type: "account",
      limits: { ...limits, ...stored },
    });
    const server = await startNats({
      extra: `operator: ${token(operator, operator.getPublicKey(), "op", { type: "operator" })}
        system_account: ${system.getPublicKey()}
        resolver: MEMORY
        resolver_preload: {
          ${account.getPublicKey()}: ${accountToken}
          ${system.getPublicKey()}: ${token(operator, system.getPublicKey(), "SYS", { type: "account", limits })}
        }`,
    });
    const userToken = token(account, user.getPublicKey(), "worker", {
      type: "user",
      subs: -1,
      data: -1,
      payload: -1,
    });
    const creds = `-----BEGIN NATS USER JWT-----\n${userToken}\n------END NATS USER JWT------\n
-----BEGIN USER NKEY SEED-----\n${new TextDecoder().decode(user.getSeed())}\n------END USER NKEY SEED------\n`;
    await works({ servers: server.url, authenticator: credsAuthenticator(new TextEncoder().encode(creds)) });
    await server.close();
  });
});

/** A NATS JWT, as its tools make them. */
function token(issuer: KeyPair, subject: string, name: string, nats: object): string {
  const encode = (value: string | Uint8Array) => Buffer.from(value).toString("base64url");
  const head = encode(JSON.stringify({ typ: "JWT", alg: "ed25519-nkey" }));
  const claims = {
    jti: encode(crypto.getRandomValues(new Uint8Array(20))),
    iat: Math.floor(Date.now() / 1_000),
    iss: issuer.getPublicKey(),
    name,
    sub: subject,
    nats: { ...nats, version: 2 },
  };
  const body = `${head}.${encode(JSON.stringify(claims))}`;
  return `${body}.${encode(issuer.sign(new TextEncoder().encode(body)))}`;
}

function hasOpenssl(): boolean {
  return spawnSync("openssl", ["version"]).status === 0;
}
