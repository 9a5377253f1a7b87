import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { until } from "../../scripts/until.ts";

export interface Outcome {
  output: string;
  errors: string;
}

const MODULES = join(import.meta.dirname, "tools/node_modules");
/** What a program needs of its surroundings: nothing of this process's conditions or caches. */
const env = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", NO_COLOR: "1" };

export function onNode(file: string, folder: string): Promise<Outcome> {
  return ended(spawn(process.execPath, [file], { cwd: folder, env }));
}

export function onDeno(file: string, folder: string): Promise<Outcome> {
  const program = join(MODULES, "deno/bin.cjs");
  const allowed = ["--allow-read", "--allow-write", "--allow-env", "--allow-sys"];
  const args = [program, "run", "--no-remote", "--no-prompt", ...allowed, file];
  return ended(spawn(process.execPath, args, { cwd: folder, env }));
}

/** Serves the module on loopback and asks it once. */
export async function onWorkerd(file: string, folder: string): Promise<Outcome> {
  const port = await freePort();
  const config = join(folder, "config.capnp");
  writeFileSync(config, configFor(basename(file), port));
  // The command of the package starts the program as a child, which a signal would not reach.
  const { default: program } = createRequire(join(MODULES, "_"))("workerd") as { default: string };
  const child = spawn(program, ["serve", config], { cwd: folder, env });
  const done = ended(child);
  try {
    let output: string | undefined;
    await until(async () => {
      const response = await fetch(`http://127.0.0.1:${port}`).catch(() => undefined);
      output = await response?.text();
      return output !== undefined || child.exitCode !== null;
    });
    return { output: output ?? "", errors: (await stopped(child, done)).errors };
  } finally {
    await stopped(child, done);
  }
}

async function stopped(child: ChildProcess, done: Promise<Outcome>): Promise<Outcome> {
  child.kill("SIGKILL");
  return done;
}

function configFor(module: string, port: number): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "${module}")],
  compatibilityDate = "2026-01-01",
);
`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

async function ended(child: ChildProcess): Promise<Outcome> {
  const outcome: Outcome = { output: "", errors: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    outcome.output += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    outcome.errors += text;
  });
  await once(child, "close");
  return outcome;
}
