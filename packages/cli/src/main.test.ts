import { execFile } from "node:child_process";
import { cpSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import {
  configOf,
  finished,
  inTurn,
  type Outcome,
  project,
  start,
  toolrig,
} from "../test/toolrig-process.ts";

const cli = join(import.meta.dirname, "..");

/** Runs the file that is installed as the command. */
function installed(file: string, args: readonly string[], ...node: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [...node, file, ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

describe.concurrent("the installed command", () => {
  test("runs the sources in a clone that was not built", async () => {
    const clone = project();
    for (const part of ["bin", "package.json"])
      cpSync(join(cli, part), join(clone, part), { recursive: true });
    symlinkSync(join(cli, "src"), join(clone, "src"));
    const outcome = await installed(join(clone, "bin/toolrig.cjs"), ["--version"]);
    expect(outcome).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  test("says which Node it needs to one that is too old", async () => {
    const old = project({
      "old.cjs": `Object.defineProperty(process, "versions", { value: { node: "20.20.2" } });`,
    });
    const outcome = await installed(join(cli, "bin/toolrig.cjs"), [], "--require", join(old, "old.cjs"));
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toMatch(/^toolrig: Toolrig needs Node 22.18 or newer; this is 20.20.2, /);
  });

  test("so does the library, which such a Node could not even link", async () => {
    const old = project({
      "old.mjs": `
        import { registerHooks } from "node:module";
        const resolve = (name, context, next) => {
          if (name === "node:sqlite") throw new Error("No such built-in module: node:sqlite");
          return next(name, context);
        };
        registerHooks({ resolve });
        process.getBuiltinModule = () => undefined;
        Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } });
      `,
      "library.mjs": `await import(${JSON.stringify(join(cli, "src/index.ts"))});`,
    });
    const node = ["--conditions=@toolrig/source", "--import", join(old, "old.mjs")];
    const outcome = await installed(join(old, "library.mjs"), [], ...node);
    expect(outcome).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Error: Toolrig needs Node 22.18 or newer; this is 20.20.2, "),
    });
  });
});

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

describe.concurrent("toolrig", () => {
  test("lists its commands when none is given", async () => {
    const { code, stdout, stderr } = await toolrig([]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const name of ["tools", "run", "resume", "approvals", "worker", "dlq", "completion", "help"]) {
      expect(stdout).toMatch(new RegExp(`^  ${name} +\\S`, "m"));
    }
  });

  test("tells its version", async () => {
    expect(await toolrig(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  test("names the nearest command for one that does not exist", async () => {
    const { code, stdout, stderr } = await toolrig(["tols"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain('There is no command "tols". Did you mean "tools"?');
  });

  test("explains a command the same way for help and --help", async () => {
    const [help, flag] = await Promise.all([toolrig(["help", "call"]), toolrig(["call", "--help"])]);
    expect(help).toEqual(flag);
    expect(help.code).toBe(0);
    expect(help.stdout).toContain("Usage: toolrig call [NAME[@RANGE]] [ARGUMENTS|-] [OPTIONS]");
    expect(help.stdout.replace(/\s+/g, " ")).toContain("16 timeout");
  });

  test("describes its commands as data", async () => {
    const { code, stdout } = await toolrig(["help", "--json"]);
    expect(code).toBe(0);
    const call = JSON.parse(stdout).find((each: { name: string }) => each.name === "call");
    expect(call.options.timeout.type).toBe("string");
  });

  test("exits 2 and says what is wrong for a wrong command line", async () => {
    const wrong = [
      [["--frobnicate"], "Expected a command; got the option --frobnicate."],
      [["tools", "--jsno"], "Unknown option '--jsno'. Did you mean --json?"],
      [["call", "pay", "--to", "ada"], "Unknown option '--to'. Run"],
      [["tools", "--json=yes"], "Option '--json' does not take an argument."],
      [["call"], "toolrig: Say which tool to call"],
      [["call", "greet", "{}", "more"], 'got "more" as well'],
      [["call", "greet", "--timeout", "soon"], "--timeout must be a duration"],
      [["call", "greet", "--timeout", "0s"], "--timeout must be a duration above 0"],
      [["help", "cal"], 'Did you mean "call"?'],
      [["foo"], 'There is no command "foo". Commands: init, '],
      [["completion", "csh"], "completion takes bash, zsh, fish"],
    ] as const;
    const outcomes = await inTurn(wrong.map(([args]) => args));
    for (const [index, { code, stdout, stderr }] of outcomes.entries()) {
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain(wrong[index]![1]);
    }
  });

  test("takes common options before the command", async () => {
    const cwd = project({ "toolrig.config.json": "{}" });
    const { code, stdout } = await toolrig(["--json", "--config", "toolrig.config.json", "tools"], { cwd });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "[]\n" });
  });

  test("without a config says how to start, on stderr", async () => {
    const { code, stderr } = await toolrig(["tools"], { cwd: project() });
    expect(code).toBe(0);
    expect(stderr).toContain("No toolrig.config.ts");
    expect(stderr).toContain("toolrig init writes one");
  });

  test("without a config has the tools that read files here, and none that write or reach further", async () => {
    const cwd = project({ "here/a.txt": "one\nTODO: two\n", "secret.txt": "TODO" });
    const grep = await toolrig(["call", "grep", '{"pattern":"TODO"}'], { cwd: join(cwd, "here") });
    expect({ code: grep.code, stdout: grep.stdout }).toEqual({
      code: 0,
      stdout: "1 line:\na.txt:2:TODO: two\n",
    });
    const outside = await toolrig(["call", "read_file", '{"path":"../secret.txt"}'], {
      cwd: join(cwd, "here"),
    });
    expect(outside.stdout).toBe("");
    expect(outside.stderr).toContain("outside of what these tools may touch");
    const { stdout } = await toolrig(["tools"], { cwd });
    const names = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t")[0]);
    expect(names).toEqual([
      "glob",
      "grep",
      "list_dir",
      "query_sqlite",
      "read_file",
      "read_json",
      "read_result",
    ]);
  });

  test("keeps its exit code when the reader of its output goes away", async () => {
    const broken = `tool({ name: "broken", description: "Broken", input: any, execute: () => { throw new Error("no"); } })`;
    const child = start(["call", "broken", "--json"], {
      cwd: project({ "toolrig.config.ts": configOf(broken) }),
    });
    child.stdout!.destroy();
    const [code, stderr] = await Promise.all([
      new Promise((resolve) => child.on("exit", resolve)),
      text(child.stderr!),
    ]);
    expect({ code, stderr }).toEqual({ code: 10, stderr: "" });
  });

  test("colours nothing that is not read on a terminal, unless told to", async () => {
    const sequence = "\u001b[";
    const plain = await toolrig(["nonsense"]);
    const forced = await toolrig(["nonsense"], { env: { FORCE_COLOR: "1" } });
    const refused = await toolrig(["nonsense"], { env: { NO_COLOR: "1" } });
    expect([plain, forced, refused].map((each) => each.stderr.includes(sequence))).toEqual([
      false,
      true,
      false,
    ]);
  });

  test("is not troubled by a tool's error outside its call", async () => {
    const stray = `tool({ name: "stray", description: "Stray", input: any, safety: safe, execute: () => {
      void Promise.reject(new Error("left behind"));
      return new Promise((resolve) => setTimeout(resolve, 50, "done"));
    } })`;
    const cwd = project({ "toolrig.config.ts": configOf(stray) });
    const { code, stdout, stderr } = await finished(start(["call", "stray"], { cwd }));
    expect({ code, stdout }).toEqual({ code: 0, stdout: "done\n" });
    expect(stderr).toContain("left behind");
  });
});
