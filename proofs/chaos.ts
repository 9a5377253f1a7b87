/** Worker and server crashes, pauses, cuts and duplicates, on real processes: one result a call, no effect repeated silently. */
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectNats, headers } from "@nats-io/transport-node";
import { NatsExecutor } from "@toolrig/nats";
import { freePort, type NatsProcess, startNats } from "../scripts/start-nats.ts";
import { Crew } from "./fleet/crew.ts";
import { Tally } from "./fleet/tally.ts";
import type { Proof } from "./proof.ts";

const STAGES = ["received", "claimed", "before-effect", "after-effect", "ran", "committed", "acknowledged"];
const MOST = 5;
const ACK_WAIT_MS = 1_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A cable between workers and the server that can be cut. */
async function cable(to: number): Promise<{ port: number; cut(): void; mend(): void; close(): void }> {
  const port = await freePort();
  const ends = new Set<Socket>();
  let whole = true;
  const server = createServer((near) => {
    if (!whole) return near.destroy();
    const far = connect(to, "127.0.0.1");
    for (const end of [near, far]) {
      ends.add(end);
      end.on("error", () => end.destroy());
      end.on("close", () => {
        ends.delete(end);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
    return near;
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    port,
    cut() {
      whole = false;
      for (const end of ends) end.destroy();
    },
    mend() {
      whole = true;
    },
    close() {
      server.close();
      for (const end of ends) end.destroy();
    },
  };
}

interface Scene {
  server: NatsProcess;
  crew: Crew;
  tally: Tally;
  line: Awaited<ReturnType<typeof cable>>;
  /** Calls a scene makes. */
  size: number;
  /** What makes few calls last until the scene is over. */
  long: { ms?: number };
}

const SCENES: Record<string, (scene: Scene) => Promise<void>> = {
  async "worker killed at each stage"({ tally, size }) {
    const each = Math.max(1, Math.min(30, Math.floor(size / 60)));
    for (const stage of STAGES) await tally.load(each, each, { dieAt: stage });
  },
  async "worker killed at any time"({ tally, crew, size, long }) {
    const load = tally.load(size, 64, long);
    for (let kill = 0; kill < (size > 1_000 ? 6 : 2); kill++) {
      await pause(250);
      crew.members[0]?.kill("SIGKILL");
    }
    await load;
  },
  async "server killed and restarted under load"({ tally, server, size, long }) {
    const load = tally.load(size, 64, long);
    for (let kill = 0; kill < 2; kill++) {
      await pause(400);
      await server.kill("SIGKILL");
      await pause(300);
      await server.restart();
    }
    await load;
  },
  async "worker paused past its ack wait"({ tally, crew, size, long }) {
    const load = tally.load(size, 64, long);
    await pause(300);
    const paused = crew.members[0]!;
    paused.kill("SIGSTOP");
    await pause(2 * ACK_WAIT_MS);
    paused.kill("SIGCONT");
    await load;
  },
  async "network cut and mended"({ tally, line, size, long }) {
    const load = tally.load(size, 64, long);
    await pause(300);
    line.cut();
    await pause(1.5 * ACK_WAIT_MS);
    line.mend();
    await load;
  },
  async "caller too busy to listen"({ tally, size, long }) {
    const load = tally.load(size, 64, long);
    for (let block = 0; block < 3; block++) {
      await pause(100);
      const until = Date.now() + 500;
      while (Date.now() < until);
    }
    await load;
  },
  async "every call published three times"({ tally, server, size }) {
    const spy = await connectNats({ servers: server.url });
    spy.subscribe("tool.execute.>", {
      callback: (_error, message) => {
        if (message.headers?.get("Copy") === "yes") return;
        const marked = headers();
        marked.set("Copy", "yes");
        for (let copy = 1; copy <= 2; copy++) spy.publish(message.subject, message.data, { headers: marked });
      },
    });
    await spy.flush();
    await tally.load(size, 64);
    await spy.close();
  },
  async "scaled from 5 to 1 to 5"({ tally, crew, size, long }) {
    await crew.resize(size > 1_000 ? MOST : 3);
    const load = tally.load(size, 64, long);
    await pause(400);
    await crew.resize(1);
    await pause(400);
    await crew.resize(size > 1_000 ? MOST : 3);
    await load;
  },
};

export const proof: Proof = {
  name: "chaos",
  claim:
    "Every call of a fleet gets one result and no effect is repeated silently, whatever is killed, paused or cut",
  async run(mode, print) {
    const folder = mkdtempSync(join(tmpdir(), "toolrig-chaos-"));
    const server = await startNats();
    const line = await cable(server.port);
    const crew = new Crew(`nats://127.0.0.1:${line.port}`, folder);
    await crew.resize(3);
    const executor = await NatsExecutor.connect({
      nats: { servers: server.url },
      fleet: { ackWait: ACK_WAIT_MS },
      queueTimeout: "120s",
    });
    const tally = new Tally(executor);
    const size = mode === "full" ? 2_900 : 60;
    try {
      for (const [title, play] of Object.entries(SCENES)) {
        const [before, deaths, began] = [tally.asked.length, crew.deaths, Date.now()];
        await play({ server, crew, tally, line, size, long: mode === "full" ? {} : { ms: 600 } });
        print(
          `${title.padEnd(42)} ${String(tally.asked.length - before).padStart(6)} calls, ${crew.deaths - deaths} workers lost, ${((Date.now() - began) / 1_000).toFixed(1)} s`,
        );
      }
      const misses = tally.misses(folder);
      print(tally.summary());
      for (const miss of misses) print(`MISS ${miss}`);
      return { passed: tally.asked.length - misses.length, failed: misses.length };
    } finally {
      await crew.dismiss();
      await executor.close();
      line.close();
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
