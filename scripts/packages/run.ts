import { execFile } from "node:child_process";

export interface RunOptions {
  cwd: string;
  /** All that the program sees; without it, what this process sees. */
  env?: NodeJS.ProcessEnv;
  /** Milliseconds after which it is ended, and has failed. */
  timeout?: number;
}

/** Runs a program and returns its output. Throws when it fails, with the end of the output. */
export function run(
  command: string,
  args: readonly string[],
  { cwd, env = process.env, timeout }: RunOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd, env, maxBuffer: 64 * 1024 * 1024, ...(timeout !== undefined && { timeout }) };
    execFile(command, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const said = `${stdout}\n${stderr}`.trim().split("\n").slice(-LAST_LINES).join("\n");
      reject(new Error(`${command} ${args.join(" ")} in ${cwd} failed:\n${said}`, { cause: error }));
    });
  });
}

const LAST_LINES = 30;
