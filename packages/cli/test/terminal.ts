import { spawn, spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

const main = join(import.meta.dirname, "..", "src", "main.ts");

/** Whether `script` of util-linux is there, which runs a program on a terminal of its own. */
export const hasTerminal = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0;

interface TerminalOptions {
  cwd: string;
  columns?: number;
  env?: Record<string, string>;
  /** What is typed, once what has been shown so far matches what stands before it. */
  typed?: readonly (readonly [when: RegExp, keys: string])[];
}

/** Runs the real command on a terminal, and gives what was to be seen, without colours. */
export async function onTerminal(args: readonly string[], options: TerminalOptions): Promise<string> {
  const { cwd, columns = 80, env = {}, typed = [] } = options;
  const words = [process.execPath, "--conditions=@toolrig/source", main, ...args];
  const line = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const child = spawn("script", ["-qec", `stty cols ${columns} -echo; ${line}`, "/dev/null"], {
    cwd,
    env: {
      PATH: process.env.PATH,
      TERM: "xterm",
      NODE_COMPILE_CACHE: join(tmpdir(), "toolrig-compile-cache"),
      ...env,
    },
  });
  let shown = "";
  const left = [...typed];
  child.stdout.on("data", (chunk: Buffer) => {
    shown += stripVTControlCharacters(chunk.toString()).replaceAll("\r\n", "\n");
    const [next] = left;
    if (next === undefined || !next[0].test(shown)) return;
    left.shift();
    child.stdin.write(next[1]);
  });
  await new Promise((resolve) => child.on("close", resolve));
  return shown;
}
