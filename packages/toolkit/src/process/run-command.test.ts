import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Executor } from "@toolrig/core";
import { bash, Processes, runCommand, toolkit } from "@toolrig/toolkit";
import { afterAll, describe, expect, test, vi } from "vitest";
import { until } from "../../../../scripts/until.ts";
import { caller, folder } from "../../test/calls.ts";
import { running } from "../../test/process-list.ts";
import { findExecutable } from "./executable.ts";

const root = folder();
mkdirSync(join(root, "inner"));
symlinkSync("/etc", join(root, "out"));

/** Without limits there is no mark but a variable, and what removes it is not found. */
const emptied = findExecutable("prlimit") === undefined ? "" : "env -i";

// Where bubblewrap does not work, both are the same.
describe.each(["auto", "off"] as const)("with sandbox %s", (sandbox) => {
  const processes = new Processes({ root, sandbox, grace: "200ms" });
  const call = caller([runCommand(processes), bash(processes)]);
  afterAll(() => processes.close());

  test("a command answers with its output and exit code", async () => {
    const { command, isError, effects, text } = await call("run_command", {
      command: "echo",
      args: ["$HOME", "*"],
    });
    expect(isError).toBe(false);
    expect(command).toEqual({ exitCode: 0, stdout: "$HOME *\n", stderr: "" });
    expect(text).toBe("echo: exit code 0\n$HOME *\n");
    expect(effects).toMatchObject([{ type: "process", command: "echo", exitCode: 0 }]);
  });

  test("the output of a command counted as public", async () => {
    const { labels } = await call("run_command", { command: "echo", args: ["secret"] });
    expect(labels).toEqual({ integrity: "untrusted", confidentiality: "private", source: "command" });
  });

  test("a command that fails is a failure with its output as content", async () => {
    const { isError, failure, text, command } = await call("bash", {
      script: "echo out; echo err >&2; exit 3",
    });
    expect(isError).toBe(true);
    expect(failure?.message).toBe("bash: exit code 3");
    expect(text).toContain("[stdout]\nout\n");
    expect(text).toContain("[stderr]\nerr\n");
    expect(command.exitCode).toBe(3);
  });

  test("the isolation is in the details, as it was achieved", async () => {
    const { details } = await call("run_command", { command: "true" });
    expect(details).toMatchObject({ isolation: await processes.isolation() });
  });

  test("there is no input, no terminal and nothing of the environment that was not allowed", async () => {
    vi.stubEnv("SECRET_TOKEN", "s3cret");
    const { command } = await call("bash", { script: "cat; tty; env" });
    vi.unstubAllEnvs();
    expect(command.stdout).toContain("not a tty");
    expect(command.stdout).not.toContain("s3cret");
    expect(command.stdout).toContain("PATH=");
  });

  test("input is passed on as it is", async () => {
    const stdin = "ä\n".repeat(50_000);
    const { command } = await call("run_command", { command: "wc", args: ["-c"], stdin });
    expect(Number(command.stdout)).toBe(Buffer.byteLength(stdin));
  });

  test("half a character was passed on as another one", async () => {
    for (const args of [
      { args: ["a\ud83d"] },
      { stdin: "\udc00" },
      { cwd: "\ud83d" },
      { command: "echo\ud83d" },
    ])
      expect((await call("run_command", { command: "echo", ...args })).failure?.message).toContain(
        "half a character",
      );
    const whole = await call("run_command", { command: "echo", args: ["\u{1f600}"] });
    expect(whole.command.stdout).toBe("\u{1f600}\n");
  });

  test("a shell does not read the files of a login", async () => {
    const home = folder();
    writeFileSync(join(home, ".bashrc"), "echo read");
    await using own = new Processes({ root: home, sandbox, env: { set: { HOME: home } } });
    const args = { command: "bash", args: ["-c", "echo ran"], stdin: "x" };
    expect((await caller([runCommand(own)])("run_command", args)).command.stdout).toBe("ran\n");
  });

  test("the working directory lies in the root, also behind links", async () => {
    expect((await call("run_command", { command: "pwd", cwd: "inner" })).command.stdout).toBe(
      `${root}/inner\n`,
    );
    for (const cwd of ["/etc", "..", "inner/../..", "out", "/proc/self/root"]) {
      expect((await call("run_command", { command: "pwd", cwd })).failure?.code, cwd).toBe("TOOL_BLOCKED");
    }
    expect((await call("run_command", { command: "pwd", cwd: "nope" })).failure?.kind).toBe("validation");
  });

  test("a program that is not there is the model's mistake", async () => {
    for (const command of ["no-such-program", "/no/such/program", "./nothing", "inner"])
      expect((await call("run_command", { command })).failure?.kind).toBe("validation");
  });

  test("past its limit a command is asked to end, and answers with what it wrote", async () => {
    const script = "trap 'echo bye; exit 7' TERM; echo hello; while :; do sleep 0.05; done";
    const { command, failure, text } = await call("bash", { script, timeout_seconds: 1 });
    expect(command).toMatchObject({ stopped: "deadline", exitCode: 7, stdout: "hello\nbye\n" });
    expect(failure).toMatchObject({
      code: "TOOL_TIMEOUT",
      kind: "timeout",
      message: expect.stringContaining("ended after 1s, its limit"),
      details: { timeoutMs: 1_000 },
    });
    expect(text).toContain("hello\nbye\n");
  });

  test("the limit of the executor ends a command that has none of its own, and no other", async () => {
    const executor = new Executor({ tools: [runCommand(processes)], timeout: "300ms" });
    const sleep = (args: object) =>
      executor.call({ id: "c", name: "run_command", arguments: { command: "sleep", ...args } });
    expect(await sleep({ args: ["4325.5"] })).toMatchObject({
      failure: { code: "TOOL_TIMEOUT", details: { timeoutMs: 300 } },
      value: { stopped: "deadline" },
    });
    expect((await sleep({ args: ["0.5"], timeout_seconds: 60 })).failure).toBeUndefined();
    expect(running("sleep 4325.5")).toBe(0);
  });

  test("what could move the cursor or hide in output is spelt out for the model, and whole for programs", async () => {
    const printed = "a\\033]0;title\\007b\\tc\\r\\nover\\rwritten \\342\\200\\256x\\n";
    const told = { command: "printf", args: [printed] };
    const { text, command } = await call("run_command", told);
    expect(text).toBe(
      String.raw`printf: exit code 0
a\u{1b}]0;title\u{7}b	c`.concat("\r\n", String.raw`over\u{d}written \u{202e}x`, "\n"),
    );
    expect(command.stdout).toBe("a\u001b]0;title\u0007b\tc\r\nover\rwritten \u202ex\n");
    const json = (await call("run_command", { ...told, output: "json" })).text;
    for (const character of ["\u001b", "\u0007", "\u202e"]) expect(json).not.toContain(character);
  });

  test("one that does not listen is ended, with what left its session", async () => {
    const script = `trap '' TERM; setsid sleep 4321.5 & (${emptied} setsid sleep 4321.5 &) ; sleep 4321.5`;
    const { command } = await call("bash", { script, timeout_seconds: 0.5 });
    expect(command).toMatchObject({ stopped: "deadline", exitCode: 137 });
    expect(running("sleep 4321.5")).toBe(0);
  });

  test("what a command leaves behind ends with it", async () => {
    const script = `(setsid sleep 4322.5 >/dev/null 2>&1 &) ; (${emptied} setsid sleep 4322.5 &) ; echo done`;
    const { command } = await call("bash", { script });
    expect(command.stdout).toBe("done\n");
    expect(running("sleep 4322.5")).toBe(0);
  });

  test("cancelling the call ends the command", async () => {
    const controller = new AbortController();
    const pending = call("bash", { script: "sleep 4323.5 & sleep 4323.5" }, { signal: controller.signal });
    await until(() => running("sleep 4323.5") >= 2);
    controller.abort();
    expect((await pending).failure?.code).toBe("TOOL_CANCELLED");
    await until(() => running("sleep 4323.5") === 0);
  });

  test("of much output head and tail are kept, and the rest is counted", async () => {
    const { command, details } = await call("bash", {
      script: "echo first; yes | head -c 9000000; echo last",
    });
    expect(command.stdout.startsWith("first\n")).toBe(true);
    expect(command.stdout.endsWith("last\n")).toBe(true);
    expect(command.stdout).toContain("bytes left out");
    expect(details).toMatchObject({ dropped: { stdout: 8_000_011 } });
  });

  test("arguments that no system takes are refused", async () => {
    const refused = async (args: string[]) =>
      (await call("run_command", { command: "echo", args })).failure?.kind;
    expect(await refused(["a\0b"])).toBe("validation");
    expect(await refused(["x".repeat(200_000)])).toBe("validation");
    expect(await refused(Array.from({ length: 9_000 }, () => "x".repeat(200)))).toBe("validation");
  });
});

test.runIf(findExecutable("prlimit"))("limits hold", async () => {
  await using processes = new Processes({ root, limits: { fileSize: 1_000, cpuSeconds: 1, openFiles: 20 } });
  const call = caller([bash(processes)]);
  const told = (await call("bash", { script: "ulimit -t; ulimit -n; ulimit -c" })).command.stdout;
  expect(told).toBe("1\n20\n0\n");
  expect((await call("bash", { script: "head -c 5000 /dev/zero > big; wc -c < big" })).command.stdout).toBe(
    "1000\n",
  );
  const burner = await call("bash", { script: "while :; do :; done", timeout_seconds: 60 });
  expect(burner.command.exitCode).toBeGreaterThan(128);
});

test("a command in a sandbox of root's could write the settings of the machine's kernel", async () => {
  await using processes = new Processes({ root });
  const { level, missing } = await processes.isolation();
  if (level !== "namespaces") return;
  // Asked only, never written: `-writable` is the system's answer to who asks.
  const args = ["/proc/sys", "/proc/irq", "/sys/kernel", "-type", "f", "-writable"];
  const { command } = await caller([runCommand(processes)])("run_command", { command: "find", args });
  // Numbers of processes, queues and shared memory are the sandbox's own, and an ordinary user's to set.
  const own = /^$|^\/proc\/sys\/(?:fs\/mqueue\/|kernel\/(?:ns_last_pid|pid_max|auto_msgmni|msg|sem|shm))/;
  const found = command.stdout.split("\n").filter((file) => !own.test(file));
  expect(found).toEqual([]);
  expect(missing.some((each) => each.includes("root"))).toBe(process.getuid?.() === 0);
});

test("a command of the kit changed what the kit protects", async () => {
  const root = folder();
  mkdirSync(join(root, ".git"));
  writeFileSync(join(root, ".env"), "A=1");
  await using probe = new Processes({ root });
  if ((await probe.isolation()).level !== "namespaces") return;
  const bashIn = (options: object) => caller(toolkit({ root, processes: { bash: true }, ...options }));
  const script = "touch .git/planted; mv .git away; rm -f .env; echo B > .env; echo ok > other; ls -A";
  const { command } = await bashIn({})("bash", { script });
  expect(command.stdout).toBe(".env\n.git\nother\n");
  expect(readdirSync(join(root, ".git"))).toEqual([]);
  expect(readFileSync(join(root, ".env"), "utf8")).toBe("A=1");
  await bashIn({ processes: { bash: true, protect: [] } })("bash", { script: "touch .git/commit; rm .env" });
  expect(readdirSync(join(root, ".git"))).toEqual(["commit"]);
  expect(existsSync(join(root, ".env"))).toBe(false);
});

test("a sandbox that is required and missing makes the tool unavailable", async () => {
  const empty = folder();
  vi.stubEnv("PATH", empty);
  const processes = new Processes({ root, sandbox: "required" });
  expect(runCommand(processes).available()).toContain("bubblewrap");
  expect((await caller([runCommand(processes)])("run_command", { command: "/bin/true" })).failure?.code).toBe(
    "TOOL_UNAVAILABLE",
  );
  vi.unstubAllEnvs();
});

test("without bubblewrap and prlimit commands run, and the level says so", async () => {
  const bin = folder();
  symlinkSync(findExecutable("bash") ?? "/bin/bash", join(bin, "bash"));
  vi.stubEnv("PATH", bin);
  await using processes = new Processes({ root });
  const call = caller([bash(processes)]);
  const { command, details } = await call("bash", { script: "echo hello" });
  vi.unstubAllEnvs();
  expect(command.stdout).toBe("hello\n");
  expect(details).toMatchObject({ isolation: { level: "none", network: "host", limits: "none" } });
});

test("a sandbox that does not work is told, and one of which that cannot be told is waited for", async () => {
  const bin = folder();
  const path = `${bin}:${process.env.PATH}`;
  const bwrap = (script: string) =>
    writeFileSync(join(bin, "bwrap"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const call = (script: string) => {
    bwrap(script);
    return caller([runCommand({ root, visible: [bin] })])("run_command", { command: "true" });
  };
  vi.stubEnv("PATH", path);
  const broken = await call("echo 'namespaces are forbidden' >&2; exit 1");
  const busy = await call(
    "echo 'Creating new namespace failed: Resource temporarily unavailable' >&2; exit 1",
  );
  vi.unstubAllEnvs();
  expect(broken.details).toMatchObject({ isolation: { files: "host" } });
  expect(JSON.stringify(broken.details)).toContain("namespaces are forbidden");
  expect(busy.failure?.code).toBe("TOOL_UNAVAILABLE");
});

test("misspelt and impossible options are refused", () => {
  expect(() => new Processes({ root, sandbx: "off" } as never)).toThrow('Did you mean "sandbox"?');
  expect(() => new Processes({ root: join(root, "nope") })).toThrow("a directory that exists");
  expect(() => new Processes({ root, limits: { cpu: 1 } } as never)).toThrow("cpuSeconds");
  expect(() => new Processes({ root, timeout: "20m" })).toThrow("maxTimeout");
});

test("a closed set runs nothing more, and ends what runs", async () => {
  const processes = new Processes({ root, grace: 0 });
  const call = caller([runCommand(processes)]);
  const pending = call("run_command", { command: "sleep", args: ["4324.5"] });
  await until(() => running("sleep 4324.5") > 0);
  await processes.close();
  expect((await pending).command.stopped).toBe("stopped");
  expect((await call("run_command", { command: "true" })).failure?.code).toBe("TOOL_UNAVAILABLE");
  expect(running("sleep 4324.5")).toBe(0);
});

test("a script in the root runs by its path", async () => {
  writeFileSync(join(root, "inner", "greet"), "#!/bin/sh\necho hi $1\n", { mode: 0o755 });
  await using processes = new Processes({ root });
  const call = caller([runCommand(processes)]);
  const { command } = await call("run_command", { command: "./greet", args: ["you"], cwd: "inner" });
  expect(command.stdout).toBe("hi you\n");
});
