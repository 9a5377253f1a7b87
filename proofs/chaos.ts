/** Worker and server crashes, pauses, cuts and duplicates, on real processes: one result a call, no effect repeated silently. */
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kvm } from "@nats-io/kv";
import { connect as connectNats, headers } from "@nats-io/transport-node";
import { NatsExecutor } from "@toolrig/nats";
import { freePort, type NatsProcess, startNats } from "../scripts/start-nats.ts";
import { Crew } from "./fleet/crew.ts";
import { onThreeReplicas } from "./fleet/replicated.ts";
import { effectsIn, Tally } from "./fleet/tally.ts";
import type { Proof } from "./proof.ts";

const STAGES = ["received", "claimed", "before-effect", "after-effect", "ran", "committed", "acknowledged"];
const MOST = 5;
const ACK_WAIT_MS = 1_000;
const FLEET = { ackWait: ACK_WAIT_MS };
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
  /** Where effects are written down. */
  folder: string;
  /** Takes note of what went wrong, beside what the tally finds. */
  miss(what: string): void;
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
  async "worker paused between claim and start"({ tally, crew, size }) {
    const load = tally.load(size > 1_000 ? 12 : 2, 2, { pauseAt: "claimed" });
    const resume = setInterval(() => {
      for (const member of crew.members) member.kill("SIGCONT");
    }, 3 * ACK_WAIT_MS);
    await load;
    clearInterval(resume);
    for (const member of crew.members) member.kill("SIGCONT");
    // Whatever was paused has had the time to do what it must not.
    await pause(ACK_WAIT_MS);
  },
  async "server away while large results are kept"({ tally, server, size }) {
    const load = tally.load(size > 1_000 ? 200 : 16, 16, { bytes: 700_000, ms: 400 });
    await pause(300);
    await server.kill("SIGKILL");
    await pause(1.5 * ACK_WAIT_MS);
    await server.restart();
    await load;
  },
  async "entries deleted under running calls"({ tally, server, size }) {
    const load = tally.load(Math.min(size, 200), 32, { ms: 500 });
    const wire = await connectNats({ servers: server.url });
    const entries = await new Kvm(wire).open("TOOL_LEDGER");
    await pause(250);
    const began = Date.now();
    for await (const key of await entries.keys()) {
      const entry = await entries.get(key);
      if (entry?.json<{ state?: string }>().state === "started") await entries.delete(key);
      if (Date.now() - began > 2_000) break;
    }
    await load;
    await wire.close();
  },
  async "worker killed while its calls are cancelled"({ crew, server, folder, miss }) {
    const executor = await NatsExecutor.connect({ nats: { servers: server.url }, fleet: FLEET });
    const controller = new AbortController();
    const numbers = Array.from({ length: 16 }, (_, index) => 1_000_000 + index);
    const results = numbers.map((number) =>
      executor.call(
        { id: "c", name: "again", arguments: { number, ms: 20_000 } },
        { signal: controller.signal },
      ),
    );
    await happened(folder, "again", numbers);
    for (const member of crew.members) member.kill("SIGKILL");
    controller.abort();
    const told = await Promise.all(results);
    await executor.close();
    const effects = effectsIn(folder);
    for (const [index, number] of numbers.entries()) {
      const code = told[index]?.failure?.code ?? "ok";
      const ran = effects.get(`again ${number}`) ?? 0;
      if (ran !== 1 || code !== "TOOL_CANCELLED") miss(`cancelled ${number} ran ${ran} times (${code})`);
    }
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
  async "last worker killed, and none comes back"({ crew, server, folder, miss }) {
    const queueTimeout = "2s";
    const executor = await NatsExecutor.connect({
      nats: { servers: server.url },
      fleet: FLEET,
      queueTimeout,
    });
    const numbers = Array.from({ length: 8 }, (_, index) => 2_000_000 + index);
    const ask = (name: string) =>
      numbers.map((number) => executor.call({ id: "c", name, arguments: { number, ms: 60_000 } }));
    const [once, again] = [ask("once"), ask("again")];
    await happened(folder, "once", numbers);
    await happened(folder, "again", numbers);
    await crew.dismiss();
    const told = { once: await Promise.all(once), again: await Promise.all(again) };
    await executor.close();
    const expected = { once: "TOOL_OUTCOME_UNKNOWN", again: "TOOL_UNAVAILABLE" } as const;
    for (const name of ["once", "again"] as const)
      for (const { failure } of told[name])
        if (failure?.code !== expected[name]) miss(`${name} without a worker was answered ${failure?.code}`);
  },
};

/** Resolves when all of these have begun. */
async function happened(folder: string, name: string, numbers: readonly number[]): Promise<void> {
  while (!numbers.every((number) => effectsIn(folder).has(`${name} ${number}`))) await pause(50);
}

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
      fleet: FLEET,
      queueTimeout: "120s",
    });
    const tally = new Tally(executor);
    const size = mode === "full" ? 2_900 : 60;
    try {
      const found: string[] = [];
      for (const [title, play] of Object.entries(SCENES)) {
        const [before, deaths, began] = [tally.asked.length, crew.deaths, Date.now()];
        const long = mode === "full" ? {} : { ms: 600 };
        const miss = (what: string) => void found.push(what);
        await play({ server, crew, tally, line, size, long, folder, miss });
        print(
          `${title.padEnd(42)} ${String(tally.asked.length - before).padStart(6)} calls, ${crew.deaths - deaths} workers lost, ${((Date.now() - began) / 1_000).toFixed(1)} s`,
        );
      }
      const misses = [...found, ...tally.misses(folder)];
      print(tally.summary());
      for (const miss of misses) print(`MISS ${miss}`);
      const replicated = mode === "full" ? await onThreeReplicas(print) : { passed: 0, failed: 0 };
      const passed = tally.asked.length - misses.length + replicated.passed;
      return { passed, failed: misses.length + replicated.failed };
    } finally {
      await crew.dismiss();
      await executor.close();
      line.close();
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
