import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
  /** Ends it and removes its data. */
  close(): Promise<void>;
}

/** `extra` is more server configuration, as text; `config` is all of it, and must listen on `port`. */
export async function startNats({
  port,
  extra = "",
  sync,
  config: whole,
}: {
  port?: number;
  extra?: string;
  sync?: string;
  config?: string;
} = {}): Promise<NatsProcess> {
  const folder = mkdtempSync(join(tmpdir(), "toolrig-nats-"));
  const chosen = port ?? (await freePort());
  const config = join(folder, "server.conf");
  const interval = sync === undefined ? "" : `, sync_interval: "${sync}"`;
  writeFileSync(
    config,
    whole ??
      `server_name: "n${chosen}"\nlisten: "127.0.0.1:${chosen}"\njetstream { store_dir: "${folder}/data", max_file_store: 8G, max_memory_store: 1G${interval} }\n${extra}\n`,
  );
  let child: ChildProcess;
  const start = async () => {
    child = spawn(natsServer(), ["-c", config], { stdio: "ignore" });
    await answering(chosen);
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

async function answering(port: number): Promise<void> {
  const deadline = Date.now() + 15_000;
  for (;;) {
    const ready = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1");
      // The server greets as soon as it can serve.
      socket.once("data", () => {
        socket.destroy();
        resolve(true);
      });
      socket.once("error", () => resolve(false));
    });
    if (ready) return;
    if (Date.now() > deadline) throw new Error(`nats-server did not answer on port ${port} within 15 s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
