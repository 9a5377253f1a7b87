/**
 * A redis-server process for the peer that needs one: from REDIS_SERVER, the PATH, or fetched from the machine's own Debian
 * package sources into a folder of the cache. Nothing is installed.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { freePort } from "../../scripts/start-nats.ts";

const cache = resolve(import.meta.dirname, "../../node_modules/.cache/toolrig/redis-server");
const root = join(cache, "root");
const fetched = join(root, "usr/bin/redis-server");
const PACKAGES = [
  "redis-server",
  "redis-tools",
  "libatomic1",
  "libhiredis0.14",
  "libjemalloc2",
  "liblua5.1-0",
  "liblzf1",
  "lua-bitop",
  "lua-cjson",
];

export interface RedisProcess {
  port: number;
  close(): Promise<void>;
}

/** Why there is no server to be had; undefined when there is. */
export function redisMissing(): string | undefined {
  if (usable() !== undefined) return undefined;
  try {
    fetchServer();
  } catch (error) {
    return `no redis-server on the PATH, and none could be fetched: ${String(error).split("\n")[0]}`;
  }
  return usable() === undefined ? "the fetched redis-server does not run here" : undefined;
}

/** Of the server that would be started; undefined when there is none. */
export function redisVersion(): string | undefined {
  const command = usable();
  if (command === undefined) return undefined;
  const said = execFileSync(command, ["--version"], { encoding: "utf8", env: environment() });
  return /v=([\d.]+)/.exec(said)?.[1];
}

/** Writes to an append-only file that is synced every second. */
export async function startRedis(): Promise<RedisProcess> {
  const folder = mkdtempSync(join(tmpdir(), "toolrig-redis-"));
  const port = await freePort();
  const options = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""];
  const durable = ["--appendonly", "yes", "--appendfsync", "everysec", "--maxmemory-policy", "noeviction"];
  const child: ChildProcess = spawn(usable()!, [...options, ...durable], {
    stdio: "ignore",
    env: environment(),
  });
  process.once("exit", () => child.kill("SIGKILL"));
  for (let tries = 0; !(await answers(port)); tries++) {
    if (tries > 250) throw new Error("redis-server did not start.");
    await new Promise((done) => setTimeout(done, 20));
  }
  return {
    port,
    async close() {
      const ended = new Promise((done) => child.once("exit", done));
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function usable(): string | undefined {
  return [process.env.REDIS_SERVER, "redis-server", fetched].find((candidate) => {
    if (candidate === undefined || candidate === "") return false;
    try {
      execFileSync(candidate, ["--version"], { stdio: "ignore", env: environment() });
      return true;
    } catch {
      return false;
    }
  });
}

function environment(): NodeJS.ProcessEnv {
  const libraries = join(root, "usr/lib");
  const folders = existsSync(libraries)
    ? readdirSync(libraries, { withFileTypes: true }).flatMap((each) =>
        each.isDirectory() ? [join(libraries, each.name)] : [],
      )
    : [];
  return { ...process.env, LD_LIBRARY_PATH: [...folders, process.env.LD_LIBRARY_PATH ?? ""].join(":") };
}

function fetchServer(): void {
  rmSync(cache, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  const run = (command: string, args: string[]) =>
    execFileSync(command, args, { cwd: cache, stdio: ["ignore", "ignore", "pipe"], timeout: 300_000 });
  run("apt-get", ["-o", "APT::Sandbox::User=root", "download", ...PACKAGES]);
  for (const archive of readdirSync(cache).filter((file) => file.endsWith(".deb")))
    run("dpkg-deb", ["-x", archive, "root"]);
}

function answers(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      done(true);
    });
    socket.once("error", () => done(false));
  });
}
