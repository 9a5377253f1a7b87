import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { defined, messageOf } from "@toolrig/core/kit";
import { FairSlots } from "../engine/fair-slots.ts";
import type { SourceProblem } from "./strip.ts";

export interface CheckedBody {
  /** The line before the body, such as `async function run(input: Input): Promise<Output> {`. */
  head: string;
  body: string;
  /** Declarations of what the body finds around itself. */
  declarations: string;
}

export interface CheckRequest {
  /** The id of the principal whose call it is: checks are shared fairly between principals. */
  principal?: string | undefined;
  signal?: AbortSignal | undefined;
}

export type TypeCheck =
  | { status: "passed" }
  /** Nobody looked, for this reason. */
  | { status: "skipped"; reason: string }
  | { status: "failed"; problems: readonly SourceProblem[] };

const TIMEOUT_MS = 60_000;
const MEMORY_BYTES = 1024 ** 3;
const MAX_OUTPUT = 200_000;
const MAX_PROBLEMS = 20;
const MAX_MESSAGE = 500;

/** `noResolve`: a text that imports a file of the host would be told by its problems what is in it. */
const SETTINGS = {
  compilerOptions: {
    ...{ noEmit: true, strict: true, noResolve: true, skipLibCheck: true, pretty: false },
    ...{ target: "es2023", lib: ["es2023"], module: "preserve", types: [] },
  },
  files: ["around.d.ts", "body.ts"],
};

/** The `tsc` of the TypeScript that is installed in a folder or above it, if any. */
export function findCompiler(folder: string): string | undefined {
  try {
    const file = createRequire(join(folder, "here.js")).resolve("typescript/package.json");
    const { bin } = JSON.parse(readFileSync(file, "utf8")) as { bin?: { tsc?: string } };
    return bin?.tsc === undefined ? undefined : resolve(dirname(file), bin.tsc);
  } catch {
    return undefined;
  }
}

/** Each check is a process that takes a second of a processor and up to 1 GiB. */
const slots = new FairSlots({ size: 1, queue: 20 });

/**
 * Checks the types of a function's body with an installed compiler: in a process of its own, in a folder of its own, with an
 * empty environment, limits of time and memory, and no other file than these two. Lines of problems are those of the body.
 */
export async function checkTypes(
  { head, body, declarations }: CheckedBody,
  compiler: string | undefined,
  { principal, signal }: CheckRequest = {},
): Promise<TypeCheck> {
  if (compiler === undefined) return { status: "skipped", reason: "TypeScript is not installed here" };
  if (!(await slots.take(principal, signal)))
    return { status: "skipped", reason: "too many checks of this caller wait already" };
  try {
    return await checkInFolder({ head, body, declarations }, compiler, signal);
  } finally {
    slots.give(principal);
  }
}

async function checkInFolder(
  { head, body, declarations }: CheckedBody,
  compiler: string,
  signal: AbortSignal | undefined,
): Promise<TypeCheck> {
  const folder = await mkdtemp(join(tmpdir(), "toolrig-check-"));
  try {
    const files = {
      "body.ts": `${head}\n${body}\n}\n`,
      "around.d.ts": declarations,
      "tsconfig.json": JSON.stringify(SETTINGS),
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    return verdictOn(await runCompiler(compiler, folder, signal), body);
  } catch (error) {
    return { status: "skipped", reason: `the type checker could not be run: ${messageOf(error)}` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Compiled {
  code: number | null;
  output: string;
}

function runCompiler(compiler: string, cwd: string, signal: AbortSignal | undefined): Promise<Compiled> {
  const [command, ...args] = commandLine(compiler);
  const stopping = AbortSignal.timeout(TIMEOUT_MS);
  return new Promise((done, failed) => {
    const child = spawn(command, args, {
      cwd,
      env: { GOMEMLIMIT: String(MEMORY_BYTES / 2) },
      stdio: ["ignore", "pipe", "ignore"],
      killSignal: "SIGKILL",
      signal: signal === undefined ? stopping : AbortSignal.any([signal, stopping]),
    });
    let output = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text: string) => {
      if (output.length < MAX_OUTPUT) output += text;
    });
    child.once("error", (error) => (error.name === "AbortError" ? undefined : failed(error)));
    child.once("close", (code) => done({ code, output }));
  });
}

const PRLIMIT = "/usr/bin/prlimit";

function commandLine(compiler: string): [string, ...string[]] {
  const line: [string, ...string[]] = [
    process.execPath,
    `--max-old-space-size=${MEMORY_BYTES / 2 / 1024 ** 2}`,
    compiler,
    "--project",
    "tsconfig.json",
  ];
  if (!existsSync(PRLIMIT)) return line;
  return [PRLIMIT, `--data=${MEMORY_BYTES}`, "--core=0", "--", ...line];
}

function verdictOn({ code, output }: Compiled, body: string): TypeCheck {
  if (code === 0) return { status: "passed" };
  const problems = problemsIn(output, body.split("\n").length);
  if (problems.length > 0) return { status: "failed", problems };
  const complaint = /^error TS\d+: (.*)/m.exec(output)?.[1];
  if (complaint !== undefined)
    return { status: "skipped", reason: `the installed TypeScript cannot be used: ${complaint}` };
  const message = "The type checker took too long or too much memory.";
  return { status: "failed", problems: [{ message, hint: "Write simpler types." }] };
}

/** `body.ts(3,7): error TS2322: ...`, with lines that are indented going on with the one before. */
function problemsIn(output: string, lines: number): SourceProblem[] {
  const found = output.matchAll(/^body\.ts\((\d+),\d+\): error TS(\d+): (.*(?:\n +.*)*)/gm);
  return [...found].slice(0, MAX_PROBLEMS).map(([, line, code, text = ""]) => {
    const hint = HINTS[Number(code)];
    return {
      message: text.replace(/ Do you need to .*/s, "").slice(0, MAX_MESSAGE),
      line: Math.min(Math.max(Number(line) - 1, 1), lines),
      ...defined({ hint }),
    };
  });
}

const ALL_THERE_IS = "There is the standard library of JavaScript, console.log, input and tools.NAME(...).";

/** What helps, by the number of the problem: names that are not there, properties that are not. */
const HINTS: Readonly<Record<number, string>> = {
  2304: ALL_THERE_IS,
  2307: "There are no modules here: call what is needed as tools.NAME(...).",
  2580: ALL_THERE_IS,
  2584: ALL_THERE_IS,
  2591: ALL_THERE_IS,
};
