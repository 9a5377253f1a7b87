import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Starts a NATS server with JetStream on a free port of this machine, and says where. Its data goes when it stops. */
export async function startNats(): Promise<{ servers: string; stop(): Promise<void> }> {
  const command = process.env.NATS_SERVER ?? "nats-server";
  const folder = mkdtempSync(join(tmpdir(), "nats-"));
  const server = spawn(command, ["-js", "-sd", folder, "-a", "127.0.0.1", "-p", "-1"]);
  await once(server, "spawn").catch(() => {
    throw new Error(`${command} is not there: install nats-server, or set NATS_SERVER to its path.`);
  });
  process.once("exit", () => server.kill());
  // A signal ends a process without "exit", by which this server and the children of the example are ended.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  const stop = async () => {
    server.kill();
    if (server.exitCode === null) await once(server, "exit");
    rmSync(folder, { recursive: true });
  };
  for await (const line of createInterface(server.stderr)) {
    const [, address] = /client connections on (\S+)/.exec(line) ?? [];
    if (address !== undefined) return { servers: `nats://${address}`, stop };
  }
  throw new Error(`${command} ended before it took connections.`);
}
