import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { backgroundProcesses, bash, Processes } from "@toolrig/toolkit";
import { afterAll, describe, expect, test } from "vitest";
import { until } from "../../../../scripts/until.ts";
import { caller, folder } from "../../test/calls.ts";
import { helperOf, processList, running } from "../../test/process-list.ts";

const root = folder();

describe.each(["auto", "off"] as const)("with sandbox %s", (sandbox) => {
  const processes = new Processes({ root, sandbox });
  const call = caller([bash(processes), ...backgroundProcesses(processes)]);
  afterAll(() => processes.close());

  test("a helper that is killed fails its commands, which end, and the next gets a new one", async () => {
    const script = "(setsid sleep 5431.5 &); sleep 5431.5";
    const { value } = await call("process_start", { command: "sleep", args: ["5431.5"] });
    const pending = call("bash", { script });
    await until(() => running("sleep 5431.5") >= 3);
    const helper = helperOf();
    process.kill(helper, "SIGKILL");
    const { failure } = await pending;
    expect(failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
    expect(failure?.message).toContain("SIGKILL");
    await until(() => running("sleep 5431.5") === 0);
    await until(async () => (await call("process_list")).text.includes("lost"));
    const { id } = value as { id: string };
    expect((await call("process_output", { id })).failure?.kind).toBe("unavailable");
    expect((await call("bash", { script: "echo again" })).command.stdout).toBe("again\n");
    expect(helperOf()).not.toBe(helper);
  });

  test("when the process is killed, helper and commands end with it", async () => {
    const program = join(root, `parent-${sandbox}.ts`);
    const source = `
      import { Executor } from ${JSON.stringify(import.meta.resolve("@toolrig/core"))};
      import { bash } from ${JSON.stringify(join(import.meta.dirname, "run-command.ts"))};
      const executor = new Executor({ tools: [bash({ root: ${JSON.stringify(root)}, sandbox: "${sandbox}" })] });
      const script = "(setsid sleep 5432.5 &); sleep 5432.5";
      await executor.call({ id: "1", name: "bash", arguments: { script } });`;
    writeFileSync(program, source);
    const parent = spawn(process.execPath, ["--conditions=@toolrig/source", program], { stdio: "inherit" });
    const over = new Promise((resolve) => parent.once("exit", resolve));
    await until(() => running("sleep 5432.5") >= 2);
    const helper = helperOf(parent.pid);
    parent.kill("SIGKILL");
    await over;
    await until(() => running("sleep 5432.5") === 0);
    await until(() => !processList().some(({ pid, args }) => pid === helper && args.includes("helper")));
  });
});

test("a background process does not keep the program alive", async () => {
  const program = join(root, "leaving.ts");
  const source = `
    import { Executor } from ${JSON.stringify(import.meta.resolve("@toolrig/core"))};
    import { backgroundProcesses } from ${JSON.stringify(join(import.meta.dirname, "background.ts"))};
    const executor = new Executor({ tools: backgroundProcesses({ root: ${JSON.stringify(root)} }) });
    await executor.call({ id: "1", name: "process_start", arguments: { command: "sleep", args: ["5433.5"] } });`;
  writeFileSync(program, source);
  const parent = spawn(process.execPath, ["--conditions=@toolrig/source", program], { stdio: "inherit" });
  expect(await new Promise((resolve) => parent.once("exit", resolve))).toBe(0);
  await until(() => running("sleep 5433.5") === 0);
});
