import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { natsServer } from "./nats-server.ts";

/** A nats-server process of our own, on loopback, with JetStream in a folder that goes with it. */
export interface NatsProcess {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Ends the process; its data stays. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again on the same port and data. */
  restart(): Promise<void>;
  /** Changes the text of its configuration while it runs. */
  reload(edit: (text: string) => string): Promise<void>;
  /** Ends it and removes its data. */
  close(): Promise<void>;
}

interface NatsSettings {
  port?: number;
  /** More server configuration, as text. */
  extra?: string;
  sync?: string;
  /** The whole configuration, which must listen on `port`. */
  config?: string;
}

/** The number of ports that are tried: another process can take a free port before the server does. */
const PORTS_TRIED = 5;

export async function startNats(settings: NatsSettings = {}): Promise<NatsProcess> {
  if (settings.port !== undefined) return startOn(settings.port, settings);
  for (let tried = 1; ; tried++) {
    try {
      return await startOn(await freePort(), settings);
    } catch (error) {
      if (tried === PORTS_TRIED) throw error;
    }
  }
}

async function startOn(
  chosen: number,
  { extra = "", sync, config: whole }: NatsSettings,
): Promise<NatsProcess> {
  const folder = mkdtempSync(join(tmpdir(), "toolrig-nats-"));
  const config = join(folder, "server.conf");
  const log = join(folder, "server.log");
  const interval = sync === undefined ? "" : `, sync_interval: "${sync}"`;
  writeFileSync(
    config,
    whole ??
      `server_name: "n${chosen}"\nlisten: "127.0.0.1:${chosen}"\njetstream { store_dir: "${folder}/data", max_file_store: 8G, max_memory_store: 1G${interval} }\n${extra}\n`,
  );
  let child: ChildProcess;
  const start = async () => {
    child = spawn(natsServer(), ["-c", config, "-l", log], { stdio: "ignore" });
    await answering(child, chosen, log);
  };
  const kill = async (signal: NodeJS.Signals = "SIGKILL") => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  };
  await start();
  const atExit = () => void child.kill("SIGKILL");
  process.once("exit", atExit);
  return {
    url: `nats://127.0.0.1:${chosen}`,
    port: chosen,
    get pid() {
      return child.pid!;
    },
    kill,
    restart: start,
    async reload(edit) {
      writeFileSync(config, edit(readFileSync(config, "utf8")));
      child.kill("SIGHUP");
    },
    async close() {
      process.off("exit", atExit);
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** Resolves when the server greets a client. Rejects with its log when it exits before. */
async function answering(child: ChildProcess, port: number, log: string): Promise<void> {
  let failed: Error | undefined;
  child.once("error", (error) => {
    failed = error;
  });
  while (!(await greets(port))) {
    if (failed !== undefined) throw failed;
    if (child.exitCode !== null || child.signalCode !== null) {
      const said = existsSync(log) ? readFileSync(log, "utf8").slice(-2_000) : "nothing was logged";
      throw new Error(`nats-server exited before it answered on port ${port}:\n${said}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("data", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
    socket.once("close", () => resolve(false));
  });
}
