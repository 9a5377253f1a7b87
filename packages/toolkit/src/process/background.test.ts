import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Executor, MemoryCallStore } from "@toolrig/core";
import { backgroundProcesses, Processes, runCommand } from "@toolrig/toolkit";
import { afterAll, expect, test } from "vitest";
import { until } from "../../../../scripts/until.ts";
import { caller, folder } from "../../test/calls.ts";

const processes = new Processes({ root: folder(), grace: "200ms", maxOutput: 1_000, maxBackground: 3 });
const call = caller(backgroundProcesses(processes));
afterAll(() => processes.close());

async function start(script: string, options = {}): Promise<string> {
  const { value } = await call("process_start", { command: "bash", args: ["-c", script] }, options);
  return (value as { id: string }).id;
}

interface Read {
  status: string;
  stdout: string;
  stderr: string;
  dropped: number;
  cursor: string;
}

async function read(id: string, args = {}): Promise<Read> {
  return (await call("process_output", { id, wait_seconds: 30, ...args })).value as Read;
}

test("a process outlives its call: it is read, written to, listed and stopped", async () => {
  const id = await start("echo ready; while read line; do echo got $line; done");
  expect(await read(id)).toMatchObject({ status: "running", stdout: "ready\n" });
  await call("process_input", { id, text: "one\n" });
  expect(await read(id)).toMatchObject({ stdout: "got one\n", cursor: "14.0" });
  expect((await call("process_list")).text).toContain(`${id}: bash`);
  expect(await read(id, { from: "0.0" })).toMatchObject({ stdout: "ready\ngot one\n" });
  const stopped = await call("process_stop", { id });
  expect(stopped.effects).toMatchObject([{ type: "process", command: "bash" }]);
  expect(await read(id)).toMatchObject({ status: expect.stringContaining("stopped"), stdout: "" });
  expect((await call("process_input", { id, text: "x" })).failure?.kind).toBe("validation");
});

test("what a process wrote counted as public", async () => {
  const id = await start("echo secret");
  const { labels } = await call("process_output", { id, wait_seconds: 30 });
  expect(labels).toEqual({ integrity: "untrusted", confidentiality: "private", source: "command" });
});

test("closing its input lets it end by itself", async () => {
  const id = await start("cat; echo over >&2; exit 4");
  await call("process_input", { id, text: "last words", end: true });
  await until(async () => (await read(id, { from: "0.0" })).status === "exit code 4");
  expect(await read(id, { from: "0.0" })).toMatchObject({ stdout: "last words", stderr: "over\n" });
});

test("output that was not read in time is dropped from the front, and said to be", async () => {
  const id = await start("yes | head -c 5000; echo end; sleep 1000");
  await until(async () => (await read(id, { from: "0.0" })).stdout.endsWith("end\n"));
  const { dropped, stdout } = await read(id, { from: "0.0" });
  expect(dropped).toBe(4_004);
  expect(stdout).toContain("4004 bytes left out");
  await call("process_stop", { id });
});

test("stopping and writing waited for an output that waits", async () => {
  const id = await start("read; echo got; sleep 1000");
  const first = call("process_output", { id, wait_seconds: 60 });
  await call("process_input", { id, text: "\n" });
  expect((await first).text).toContain("got");
  const second = call("process_output", { id, wait_seconds: 60 });
  await call("process_stop", { id });
  expect((await second).text).toContain("stopped");
});

test("half a character was written as another one", async () => {
  const id = await start("cat");
  expect((await call("process_input", { id, text: "\ud83d" })).failure?.kind).toBe("validation");
  await call("process_stop", { id });
});

test("a character that is on its way is not cut in two", async () => {
  const id = await start("printf '\\xc3'; read; printf '\\xa4'");
  await call("process_output", { id });
  await call("process_input", { id, text: "\n" });
  await until(async () => (await read(id)).status === "exit code 0");
  expect((await read(id, { from: "0.0" })).stdout).toBe("ä");
});

test("no more than allowed run at once", async () => {
  const ids = await Promise.all([start("sleep 1000"), start("sleep 1000"), start("sleep 1000")]);
  const refused = await call("process_start", { command: "sleep", args: ["1000"] });
  expect(refused.failure?.message).toContain("the most there may be");
  await Promise.all(ids.map((id) => call("process_stop", { id })));
});

test("a process is its principal's: for others there is none", async () => {
  const id = await start("sleep 1000", { principal: { id: "ann" } });
  expect((await call("process_output", { id })).failure?.message).toContain(`no process "${id}"`);
  expect((await call("process_list", {}, { principal: { id: "bob" } })).value).toEqual([]);
  expect((await call("process_stop", { id }, { principal: { id: "ann" } })).isError).toBe(false);
});

test("a command that takes longer than it may be held goes on, and is told when it ends", async () => {
  const root = folder();
  const processes = new Processes({ root, background: "50ms" });
  const store = new MemoryCallStore();
  const executor = new Executor({ tools: [runCommand(processes)], store });
  const call = {
    id: "c",
    name: "run_command",
    arguments: { command: "sh", args: ["-c", "while [ ! -e go ]; do sleep 0.05; done; echo done"] },
  };
  expect(await executor.call(call, { onWaiting: "return" })).toMatchObject({
    waiting: { kind: "background" },
  });
  writeFileSync(join(root, "go"), "");
  await expect.poll(() => store.records().length).toBe(1);
  expect(store.records()[0]?.result.value).toMatchObject({ exitCode: 0, stdout: "done\n" });
  await processes.close();
});
