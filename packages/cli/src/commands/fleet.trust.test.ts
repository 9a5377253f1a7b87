/** A fleet whose participants do not trust each other, from nothing to a retried dead letter, with NKeys and TLS on both sides. */
import { type ChildProcess, execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, nkeyAuthenticator } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HANG_MS } from "../../../../scripts/hang-limit.ts";
import { freePort, type NatsProcess, startNats } from "../../../../scripts/start-nats.ts";
import { until } from "../../../../scripts/until.ts";
import { configOf, type Outcome, project, start, toolrig } from "../../test/toolrig-process.ts";

const tools = `
  tool({ name: "search_docs", version: "2.1.0", description: "Search", input: any, safety: safe,
    execute: ({ echo = "" }, { principal }) => echo + " for " + principal?.id }),
  tool({ name: "send_mail", description: "Send", input: any, safety: safe, execute: (_, { principal }) => "sent for " + principal?.id }),
`;
const cwd = project({
  "toolrig.config.ts": configOf(
    tools,
    `nats: { tls: { caFile: "ca.pem", certFile: "client.pem", keyFile: "client.key" } }, callers: "fleet/callers.json"`,
  ),
});
const at = (...names: string[]) => join(cwd, ...names);
const seed = (user: string) => at("fleet", `${user}.nk`);
const modeOf = (file: string) => statSync(file).mode & 0o777;

let nats: NatsProcess;
let port: number;
let worker: ChildProcess | undefined;
let said = "";

const run = (...args: string[]): Promise<Outcome> => toolrig(args, { cwd });
const onFleet = (user: string, ...args: string[]) => run(...args, "--nats", tlsUrl(), "--seed", seed(user));
const tlsUrl = () => `tls://127.0.0.1:${port}`;
const calling = (user: string, ...args: string[]) => onFleet(user, "call", ...args, "--caller", user);

const PLAN = ["--work", "office=send_mail,search_docs@2", "--calls", "desk=send_mail,search_docs@2"];
const config = (...more: string[]) =>
  run(
    ...["fleet", "config", ...PLAN, ...more, "--listen", `127.0.0.1:${port}`, "--store", at("data")],
    ...[
      "--tls-cert",
      at("server.pem"),
      "--tls-key",
      at("server.key"),
      "--tls-ca",
      at("ca.pem"),
      "--out",
      "fleet",
    ],
  );

/** An authority, and certificates by it for the server and for clients. */
function makeCertificates(): void {
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd, stdio: "pipe" });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  openssl("req", "-x509", ...key, "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.pem");
  for (const name of ["server", "client"]) {
    const files = ["-keyout", `${name}.key`, "-out", `${name}.pem`];
    const by = ["-CA", "ca.pem", "-CAkey", "ca.key", "-addext", "basicConstraints=critical,CA:FALSE"];
    openssl(
      "req",
      "-x509",
      ...key,
      "-subj",
      `/CN=${name}`,
      "-addext",
      "subjectAltName=DNS:localhost,IP:127.0.0.1",
      ...by,
      ...files,
    );
  }
}

beforeAll(async () => {
  port = await freePort();
  makeCertificates();
});

afterAll(async () => {
  worker?.kill("SIGKILL");
  await nats?.close();
});

test("a configuration is written with a key for everybody, which only its owner may read", async () => {
  const { code, stdout, stderr } = await config();
  expect(stderr).toContain("nats-server -c fleet/nats-server.conf");
  expect(code).toBe(0);
  const files = readdirSync(at("fleet")).sort();
  expect(files).toEqual(["admin.nk", "callers.json", "desk.nk", "nats-server.conf", "office.nk"]);
  expect(stdout.trimEnd().split("\n").sort()).toEqual(files.map((name) => join("fleet", name)));
  for (const name of files) expect(modeOf(at("fleet", name)), name).toBe(0o600);
  expect(readFileSync(at("fleet", "nats-server.conf"), "utf8")).not.toMatch(/\bSU[A-Z2-7]{56}\b/);
});

test("somebody is added without new keys for the others", async () => {
  const before = readFileSync(seed("desk"), "utf8");
  const { code, stdout } = await config("--calls", "site=search_docs@2");
  expect(code).toBe(0);
  expect(stdout).toContain("site.nk");
  expect(stdout).not.toContain("desk.nk");
  expect(readFileSync(seed("desk"), "utf8")).toBe(before);
});

test("a configuration whose keys nobody would have is not made, nor one for the network without certificates", async () => {
  const plan = ["fleet", "config", ...PLAN];
  const [unkept, open, json, half, stray] = await Promise.all([
    run(...plan),
    run(...plan, "--json", "--listen", "0.0.0.0:4222"),
    run(...plan, "--json"),
    run(...plan, "--json", "--tls-cert", "server.pem"),
    run("fleet", "--work", "office=send_mail"),
  ]);
  expect(unkept).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("give --out FOLDER") });
  expect(open).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("certificates, to listen on 0.0.0.0:4222"),
  });
  expect(Object.keys(JSON.parse(json.stdout).seeds)).toEqual(["admin", "office", "desk"]);
  expect(half).toMatchObject({ code: 2, stderr: expect.stringContaining("--tls-key") });
  expect(stray).toMatchObject({ code: 2, stderr: expect.stringContaining("toolrig fleet config") });
});

test("the operator sets up, a worker serves with its seed, and callers call what is theirs, as themselves", async () => {
  nats = await startNats({ port, config: readFileSync(at("fleet", "nats-server.conf"), "utf8") });
  const queues = await onFleet("admin", "fleet", "setup");
  expect(queues).toMatchObject({ code: 0, stderr: expect.stringContaining("2 tools are set up") });
  expect(queues.stdout).toContain("tool-exec-search-docs-v2");

  worker = start(["worker", "--nats", tlsUrl(), "--seed", seed("office")], { cwd });
  worker.stderr!.on("data", (chunk) => {
    said += chunk;
  });
  await until(() => said.includes("takes calls of") || worker?.exitCode !== null);
  expect(said).toContain("takes calls of search_docs, send_mail");

  const [listed, mail, docs, refused] = await Promise.all([
    onFleet("site", "fleet", "--caller", "site"),
    calling("desk", "send_mail", "{}"),
    calling("site", "search_docs", '{"echo": "found"}'),
    calling("site", "send_mail", "{}"),
  ]);
  expect(listed.stdout).toContain("search_docs\t2.1.0\t1\tyes");
  expect(mail).toMatchObject({ code: 0, stdout: "sent for desk\n" });
  expect(docs).toMatchObject({ code: 0, stdout: "found for site\n" });
  expect(refused).toMatchObject({ code: 13, stdout: "" });
});

test("a seed that others may read is not used, nor a file without one, and neither is shown", async () => {
  const secret = readFileSync(seed("desk"), "utf8").trim();
  copyFileSync(seed("desk"), at("open.nk"));
  chmodSync(at("open.nk"), 0o644);
  writeFileSync(at("short.nk"), secret.slice(0, 50), { mode: 0o600 });
  const call = (...more: string[]) =>
    run("call", "send_mail", "{}", "--nats", tlsUrl(), "--caller", "desk", ...more);
  const [open, short, none, absent] = await Promise.all([
    call("--seed", "open.nk"),
    call("--seed", "short.nk"),
    call("--seed", "none.nk"),
    call(),
  ]);
  expect(open).toMatchObject({ code: 2, stderr: expect.stringContaining("chmod 600 open.nk") });
  expect(short).toMatchObject({ code: 2, stderr: expect.stringContaining("it holds no seed") });
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("none.nk") });
  expect(absent.code).toBe(1);
  for (const { stderr } of [open, short, none]) expect(stderr).not.toContain(secret.slice(0, 50));
});

test("a call that workers refused is retried only in the operator's own name, and signed by it", async () => {
  const site = await connect({
    servers: tlsUrl(),
    authenticator: nkeyAuthenticator(new TextEncoder().encode(readFileSync(seed("site"), "utf8").trim())),
    tls: { caFile: at("ca.pem"), certFile: at("client.pem"), keyFile: at("client.key") },
  });
  const forged = {
    executionId: "f1",
    caller: "desk",
    call: { id: "c", name: "search_docs", arguments: { echo: "forged" } },
  };
  await site.request("tool.execute.search_docs", JSON.stringify(forged), { timeout: HANG_MS });
  await site.close();
  const dlq = (...args: string[]) => onFleet("admin", "dlq", ...args, "--caller", "admin");
  await expect.poll(async () => (await dlq("list")).stdout).toContain("cannot be filed under desk");
  expect(await dlq("retry", "1")).toMatchObject({ code: 2, stderr: expect.stringContaining("--as") });
  const { code, stdout } = await dlq("retry", "1", "--as", "ops");
  expect(code).toBe(0);
  const result = await run(
    "call",
    "search_docs",
    '{"echo": "forged"}',
    "--id",
    "x",
    "--json",
    "--nats",
    tlsUrl(),
    "--seed",
    seed("admin"),
    "--caller",
    "admin",
  );
  expect(stdout.trim()).toMatch(/^exec/);
  expect(JSON.parse(result.stdout)).toMatchObject({ value: "forged for admin" });
  expect((await dlq("list")).stdout).toBe("");
});
