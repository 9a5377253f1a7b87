import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { failure, validation } from "@toolrig/core";
import { programBeside } from "@toolrig/core/kit";
import type { OpenFile } from "../confine/opened.ts";
import { escapeLine } from "../files/output.ts";

/**
 * Node with a limit on the memory that it may allocate. SQLite as Node has it does not count its own, so that the system does,
 * where there is a shell to ask it by. The limit of V8's heap alone would not hold for what is outside of the heap.
 */
function commandLine(path: string, { all, heap }: { all: number; heap: number }): [string, ...string[]] {
  const line: [string, ...string[]] = [
    process.execPath,
    "--no-warnings",
    `--max-old-space-size=${heap}`,
    path,
  ];
  if (process.platform === "win32") return line;
  return ["/bin/sh", "-c", `ulimit -d ${all * 1024} && exec "$@"`, "sh", ...line];
}

/** What a child says: an answer, or why there is none. */
export type Said<Answer> = { answer: Answer } | { refused: string } | { failed: string };

const MAX_OUTPUT = 64 * 1024 * 1024;
/** MiB that a child may allocate in all, and in V8's heap. V8 takes up to 512 of the first for itself, before anything is done. */
const MEMORY_MB = { query: { all: 1_216, heap: 256 }, select: { all: 2_048, heap: 1_024 } } as const;

/**
 * Runs one of the programs beside this file in a process of its own, with open files and nothing else: no environment, no
 * connection to this one. It is killed when the signal aborts: a thread could not be stopped while SQLite runs, and would
 * keep the process from ending.
 */
export async function inChild<Answer>(
  program: "query" | "select",
  files: readonly OpenFile[],
  request: unknown,
  signal: AbortSignal,
): Promise<Answer> {
  const path = fileURLToPath(programBeside(import.meta.url, `${program}-child`));
  const output = await new Promise<string>((resolve, reject) => {
    const [command, ...args] = commandLine(path, MEMORY_MB[program]);
    const child = spawn(command, args, {
      env: {},
      stdio: ["pipe", "pipe", "ignore", ...files.map(({ handle }) => handle.fd)],
      signal,
      killSignal: "SIGKILL",
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.stdout?.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_OUTPUT) child.kill("SIGKILL");
      else chunks.push(chunk);
    });
    child.stdin?.on("error", () => {});
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(Buffer.concat(chunks).toString());
      else reject(failure("It took more memory than there is for it."));
    });
    child.stdin?.end(JSON.stringify(request));
  });
  const said = JSON.parse(output) as Said<Answer>;
  if ("answer" in said) return said.answer;
  // What a file holds may be in the words: such as names of columns and keys.
  throw "refused" in said ? validation(escapeLine(said.refused)) : failure(escapeLine(said.failed));
}
