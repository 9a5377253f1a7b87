import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cliTool, option } from "@toolrig/toolkit";
import type { Stage } from "../stage.ts";
import { isKind, type ProcessAttempt, unless } from "./attempt.ts";

const input = { type: "object", properties: { value: { type: "string" } }, required: ["value"] } as const;
const base = { name: "program", description: "A program", input };

/** A value as an argument of a tool around a program. */
function asValue(name: string, command: string, value: string): ProcessAttempt {
  return {
    name,
    expected: "refused",
    miss: async (stage) => {
      const { processes } = stage;
      const program = cliTool({ ...base, command, args: (args) => [args.value], processes });
      return isKind(await stage.with(program, { value }), "validation");
    },
  };
}

/** Text that a shell would act on. */
function asText(name: string, text: string): ProcessAttempt {
  return {
    name: `${name} in an argument`,
    expected: "passed on as it is",
    miss: async (stage) => {
      const { command } = await stage.call("run_command", { command: "printf", args: ["%s", text] });
      const made = existsSync(join(stage.root, "pwned"));
      return unless(command.stdout === text && !made, made ? "it was run" : command.stdout);
    },
  };
}

function inFolder(name: string, cwd: string | ((stage: Stage) => string), kind = "denied"): ProcessAttempt {
  return {
    name: `a working directory that is ${name}`,
    expected: "refused",
    miss: async (stage) => {
      const folder = typeof cwd === "string" ? cwd : cwd(stage);
      return isKind(await stage.call("run_command", { command: "pwd", cwd: folder }), kind);
    },
  };
}

/** Somebody swaps a directory and a link to the outside, again and again, while commands start in it. */
async function swappedFolder(stage: Stage): Promise<string | undefined> {
  const [target, link, folder] = ["swapped", "as-link", "as-folder"].map((name) =>
    join(stage.root, name),
  ) as [string, string, string];
  mkdirSync(folder, { recursive: true });
  symlinkSync(stage.outside, link);
  const script = `while :; do mv -T ${folder} ${target}; mv -T ${target} ${folder}; mv -T ${link} ${target}; mv -T ${target} ${link}; done`;
  const { value } = await stage.call("process_start", { command: "bash", args: ["-c", script] });
  let outside = 0;
  let inside = 0;
  for (let round = 0; round < 60; round++) {
    const { command } = await stage.call("run_command", { command: "ls", cwd: "swapped" });
    if (command?.stdout.includes("secret")) outside += 1;
    else if (command?.exitCode === 0) inside += 1;
  }
  await stage.call("process_stop", value);
  return unless(outside === 0, `${outside} of ${outside + inside} started outside`);
}

async function replacedBinary(stage: Stage): Promise<string | undefined> {
  const file = join(stage.root, "program");
  writeFileSync(file, "#!/bin/sh\necho first\n", { mode: 0o755 });
  const { processes } = stage;
  const program = cliTool({ ...base, command: file, args: () => [], processes });
  const first = await stage.with(program, { value: "" });
  writeFileSync(`${file}.new`, "#!/bin/sh\necho second\n", { mode: 0o755 });
  renameSync(`${file}.new`, file);
  const second = await stage.with(program, { value: "" });
  rmSync(file);
  if (first.text !== "first\n") return `the first call answered ${first.text}`;
  return isKind(second, "unavailable");
}

async function plantedBinary(stage: Stage): Promise<string | undefined> {
  const path = process.env.PATH ?? "";
  process.env.PATH = `${stage.root}:${path}`;
  const { processes } = stage;
  const program = cliTool({ ...base, command: "uname", args: () => [], processes });
  const planted = join(stage.root, "uname");
  writeFileSync(planted, "#!/bin/sh\necho planted\n", { mode: 0o755 });
  const { text } = await stage.with(program, { value: "" });
  process.env.PATH = path;
  rmSync(planted);
  return unless(!text.includes("planted"), text);
}

/** A program of the sandbox's name, where a command could have put it. */
async function plantedSandbox(stage: Stage): Promise<string | undefined> {
  const path = process.env.PATH ?? "";
  process.env.PATH = `${stage.root}:${path}`;
  const planted = ["bwrap", "prlimit"].map((name) => join(stage.root, name));
  for (const file of planted) writeFileSync(file, "#!/bin/sh\necho planted\n", { mode: 0o755 });
  const sandbox = stage.isolation.level === "namespaces" ? "auto" : "off";
  const own = await (stage.constructor as typeof Stage).open({ sandbox, root: stage.root });
  const { text } = await own.bash("echo plain");
  process.env.PATH = path;
  for (const file of planted) rmSync(file);
  await own.close();
  return unless(text.includes("plain") && own.isolation.level === stage.isolation.level, text);
}

async function relativePath(stage: Stage): Promise<string | undefined> {
  const path = process.env.PATH ?? "";
  process.env.PATH = `.:inner::${path}`;
  const planted = join(stage.root, "only-here");
  writeFileSync(planted, "#!/bin/sh\necho planted\n", { mode: 0o755 });
  const answer = await stage.call("run_command", { command: "only-here" });
  process.env.PATH = path;
  rmSync(planted);
  return isKind(answer, "validation");
}

async function boundOption(stage: Stage): Promise<string | undefined> {
  const { processes } = stage;
  const args = ({ value }: { value: string }) => [option("--"), "%s", option("--grep", value)];
  const program = cliTool({ ...base, command: "printf", args, processes });
  const { text } = await stage.with(program, { value: "--output=pwned" });
  return unless(text === "--grep=--output=pwned", text);
}

async function behindSeparator(stage: Stage): Promise<string | undefined> {
  const { processes } = stage;
  const program = cliTool({ ...base, command: "cat", args: ({ value }) => [option("--"), value], processes });
  const { command } = await stage.with(program, { value: "--version" });
  return unless(command.exitCode !== 0 && command.stderr.includes("No such file"), command.stdout);
}

export const argumentAttempts: readonly ProcessAttempt[] = [
  asValue("an option as a value", "ls", "--version"),
  asValue("a dangerous option as a value", "find", "-delete"),
  asValue("the end of options as a value", "cat", "--"),
  asValue("standard input as a value", "cat", "-"),
  asValue("a value with a NUL", "cat", "a\0b"),
  { name: "an option as the value of an option", expected: "bound to it", miss: boundOption },
  { name: "an option behind --", expected: "taken for a file", miss: behindSeparator },
  asText("a command", "; touch pwned"),
  asText("a substitution", "$(touch pwned) `touch pwned`"),
  asText("a pipe, a redirection and a line", "| touch pwned > pwned\ntouch pwned &"),
  asText("a pattern and a variable", "* ~ $HOME {a,b}"),
  {
    name: "an argument with a NUL",
    expected: "refused",
    miss: async (stage) =>
      isKind(await stage.call("run_command", { command: "echo", args: ["a\0b"] }), "validation"),
  },
  {
    name: "an argument of 10 MB",
    expected: "refused",
    miss: async (stage) =>
      isKind(
        await stage.call("run_command", { command: "echo", args: ["x".repeat(10_000_000)] }),
        "validation",
      ),
  },
  {
    name: "9,000 arguments of 1 KB",
    expected: "refused",
    miss: async (stage) => {
      const args = Array.from({ length: 9_000 }, () => "x".repeat(1_000));
      return isKind(await stage.call("run_command", { command: "echo", args }), "validation");
    },
  },
  {
    name: "a directory as a program",
    expected: "refused",
    miss: async (stage) => isKind(await stage.call("run_command", { command: "./inner" }), "validation"),
  },
  { name: "a program replaced since the tool was made", expected: "unavailable", miss: replacedBinary },
  { name: "a program planted earlier on PATH", expected: "not run", miss: plantedBinary },
  { name: "a sandbox planted earlier on PATH", expected: "not run", miss: plantedSandbox },
  { name: "relative directories on PATH", expected: "not searched", miss: relativePath },
  inFolder("the root of the system", "/"),
  inFolder("above", ".."),
  inFolder("above by a way through", "inner/../../outside"),
  inFolder("a link to the outside", "link"),
  inFolder("a folder behind a link", "link/."),
  inFolder("that of a process", "/proc/self/cwd"),
  inFolder("the root by way of a process", "/proc/self/root"),
  inFolder("the outside itself", ({ outside }) => outside),
  inFolder("a name with a NUL", "inner\0/../..", "validation"),
  inFolder("a file", "/etc/passwd", "validation"),
  { name: "a working directory that is swapped for a link", expected: "never outside", miss: swappedFolder },
];
