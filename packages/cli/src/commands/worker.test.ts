import type { ChildProcess } from "node:child_process";
import { connect } from "node:net";
import { NatsExecutor } from "@toolrig/nats";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type NatsProcess, startNats } from "../../../../scripts/start-nats.ts";
import { until } from "../../../../scripts/until.ts";
import { configOf, finished, type Outcome, project, start, toolrig } from "../../test/toolrig-process.ts";

const config = configOf(
  `
  tool({ name: "greet", version: "1.2.0", description: "Greet", input: any, safety: safe, execute: ({ name }) => "Hello, " + name }),
  tool({ name: "slow", description: "Slow", input: any, safety: safe,
    execute: () => { console.error("slow started"); return new Promise((resolve) => setTimeout(resolve, 500, "done")); } }),
  tool({ name: "hidden", description: "Hidden", input: any, safety: safe, execute: () => 1 }),
  `,
  `allow: ["greet", "slow"], nats: process.env.TEST_NATS, store: "worker.db"`,
);
const cwd = project({ "toolrig.config.ts": config });
const rows = (stdout: string) =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));

let nats: NatsProcess;
let worker: ChildProcess;
let ended: Promise<Outcome>;
let said = "";
const deadLetters = async () => rows((await fleet("dlq", "list")).stdout).map(([seq]) => seq);
const fleet = (...args: string[]) => toolrig(args, { cwd, env: { TEST_NATS: nats.url } });

beforeAll(async () => {
  nats = await startNats();
  worker = start(["worker", "--nats", nats.url, "--json"], { cwd });
  ended = finished(worker);
  worker.stderr!.on("data", (chunk) => {
    said += chunk;
  });
  await until(() => said.includes("takes calls of greet, slow."));
});

afterAll(async () => {
  worker.kill("SIGKILL");
  await nats.close();
});

test("a worker runs the configured tools, and a fleet shows it", async () => {
  const executor = await NatsExecutor.connect({ nats: { servers: nats.url } });
  const { content } = await executor.call({ id: "1", name: "greet", arguments: { name: "Ada" } });
  expect(content).toEqual([{ type: "text", text: "Hello, Ada" }]);
  await executor.close();
  const [tools, workers, json] = await Promise.all([
    fleet("fleet"),
    fleet("fleet", "--workers"),
    fleet("fleet", "--json"),
  ]);
  expect(rows(tools.stdout)).toContainEqual(["greet", "1.2.0", "1", "yes", ""]);
  expect(rows(workers.stdout)[0]![0]).toMatch(/^worker/);
  expect(JSON.parse(json.stdout).workers).toHaveLength(1);
});

test("calls and runs reach the fleet from a terminal, within the allowlist", async () => {
  const here = project({
    "toolrig.config.json": `{ "allow": ["greet"] }`,
    "script.json": `[{ "calls": [{ "name": "greet", "arguments": "{name: 'Bob'}" }, { "name": "slow" }] }, "Done."]`,
  });
  const [call, none, refused, run, wrong] = await Promise.all([
    toolrig(["call", "greet", '{"name": "Ada"}', "--nats", nats.url], { cwd: project() }),
    toolrig(["call", "greets", "--nats", nats.url], { cwd: project() }),
    toolrig(["call", "slow", "--nats", nats.url], { cwd: here }),
    toolrig(["run", "Greet", "-m", "script:script.json", "--nats", nats.url], { cwd: here }),
    toolrig(["run", "Greet", "-m", "script:script.json", "--nats", nats.url, "--tools", "gret"], {
      cwd: here,
    }),
  ]);
  expect(call).toEqual({ code: 0, stdout: "Hello, Ada\n", stderr: "" });
  expect(none).toMatchObject({ code: 12, stdout: "", stderr: expect.stringContaining("greet") });
  expect(refused).toMatchObject({ code: 13, stderr: expect.stringContaining("'slow' is not allowed") });
  expect(run).toMatchObject({ code: 0, stdout: "Done.\n" });
  expect(run.stderr).toMatch(/^ok +greet .*Hello, Bob/m);
  expect(run.stderr).toMatch(/^denied +slow /m);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean "greet"?') });
});

test("a message that is no call is listed, shown, not sent again in the operator's name, and dropped", async () => {
  await publish("tool.execute.greet", "no call at all");
  await expect.poll(deadLetters).toEqual(["1"]);
  const shown = await fleet("dlq", "show", "1");
  expect(shown.stdout).toBe("no call at all\n");
  const [wrong, none] = await Promise.all([fleet("dlq", "drop", "one"), fleet("dlq", "drop", "99")]);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("NUMBER must be a whole number") });
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("There is no dead letter 99") });

  const again = await fleet("dlq", "retry", "1");
  expect(again).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Workers refused dead letter 1: the message must be JSON"),
  });
  expect(await fleet("dlq", "drop", "1", "--json")).toMatchObject({ code: 0, stdout: '{"seq":1}\n' });
  expect(await fleet("dlq", "list")).toEqual({ code: 0, stdout: "", stderr: "There are no dead letters.\n" });
});

test("a worker finishes what runs when it is told to stop, and the fleet sees it go", async () => {
  const watching = start(["fleet", "--watch", "--json"], { cwd, env: { TEST_NATS: nats.url } });
  const watched = finished(watching);
  let seen = "";
  watching.stdout!.on("data", (chunk) => {
    seen += chunk;
    if (seen.includes('"workers":[]')) watching.kill("SIGINT");
  });
  await expect.poll(() => seen).toContain('"workers":[{');
  const executor = await NatsExecutor.connect({ nats: { servers: nats.url } });
  const running = executor.call({ id: "1", name: "slow" });
  await expect.poll(() => said).toContain("slow started");
  worker.kill("SIGTERM");
  expect((await running).content).toEqual([{ type: "text", text: "done" }]);
  await executor.close();
  const { code, stdout } = await ended;
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ ran: 4, inFlight: 0 });
  expect((await watched).code).toBe(0);
});

test("without a server the commands say what to do", async () => {
  const [none, away] = await Promise.all([
    toolrig(["fleet"], { cwd: project({ "toolrig.config.json": "{}" }) }),
    toolrig(["dlq", "list", "--nats", "nats://127.0.0.1:1"], { cwd }),
  ]);
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("No server: give --nats URL") });
  expect(away).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Is nats-server running with -js?"),
  });
});

/** A message in the protocol's own words. */
function publish(subject: string, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(nats.port, "127.0.0.1");
    socket.once("error", reject);
    socket.on("data", (chunk) => {
      if (!String(chunk).includes("PONG")) return;
      socket.destroy();
      resolve();
    });
    socket.write(`CONNECT {"verbose":false}\r\nPUB ${subject} ${body.length}\r\n${body}\r\nPING\r\n`);
  });
}

test("a fleet shows what is in doubt and what waits, and settles nothing that is not in doubt", async () => {
  const at = ["--nats", nats.url];
  const [open, waiting, settled] = await Promise.all([
    fleet("open", ...at),
    fleet("waiting", ...at),
    fleet("settle", ...at, "exec.none", "happened", "--why", "seen"),
  ]);
  expect(open.stderr).toContain("Nothing is in doubt.");
  expect(waiting.stderr).toContain("Nothing waits now.");
  expect(settled.stderr).toContain(
    "There is nothing to settle about exec.none: the ledger does not know it.",
  );
});
