import { fork } from "node:child_process";
import { join } from "node:path";
import type { Benchmark, Measured, Round } from "./benchmark.ts";

const ENV = {
  ...process.env,
  NODE_ENV: "production",
  // Peers that report home would need a network, and the time it takes is not theirs.
  OPENAI_AGENTS_DISABLE_TRACING: "1",
  LANGCHAIN_TRACING_V2: "false",
  LANGSMITH_TRACING: "false",
  MASTRA_TELEMETRY_DISABLED: "1",
};

/**
 * Runs every case once a round, each in a fresh process, in another order every round: neither the state of a process
 * nor a busy minute of the machine can favour one side throughout.
 */
export async function runRounds(name: string, { cases }: Benchmark, rounds: number): Promise<Round[]> {
  const names = Object.keys(cases);
  const done: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    const measured = new Map<string, Measured>();
    if (!process.stderr.isTTY) process.stderr.write(`round ${round + 1} of ${rounds}\n`);
    for (const [index, each] of shuffled(names).entries()) {
      showProgress(`round ${round + 1} of ${rounds}, case ${index + 1} of ${names.length}: ${each}`);
      measured.set(each, await inFreshProcess(name, each));
    }
    done.push((wanted) => measured.get(wanted)!);
  }
  showProgress("");
  return done;
}

function showProgress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`);
}

function inFreshProcess(benchmark: string, name: string): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, "worker.ts"), [benchmark, name], {
      env: ENV,
      execArgv: ["--expose-gc"],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    let measured: Measured | undefined;
    let stderr = "";
    child.on("message", (message) => {
      measured = message as Measured;
    });
    child.stderr!.on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (measured !== undefined) resolve(measured);
      else
        reject(
          new Error(
            `Case ${name} ended with ${signal ?? `exit code ${code}`} and no measurement.\n${stderr.trim()}`,
          ),
        );
    });
  });
}

function shuffled(names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ name }) => name);
}
