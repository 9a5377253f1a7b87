/**
 * Beside participants that talk nonsense, forge, replay, delete and fill the disk, every call is answered, no effect that may
 * happen once happens twice, and no result contradicts what happened.
 */
import { type ConnectionOptions, connect, nkeys } from "@nats-io/transport-node";
import { NatsExecutor, NatsWorker, setUpFleet } from "@toolrig/nats";
import { startConfiguredNats } from "../scripts/start-configured-nats.ts";
import { type NatsProcess, startNats } from "../scripts/start-nats.ts";
import { bounded } from "./fleet-hostile/bounded-fleet.ts";
import { openFleet } from "./fleet-hostile/open-fleet.ts";
import { type Role, relays } from "./fleet-hostile/relays.ts";
import { type Behaviour, effectful, missOf, pause, Scene } from "./fleet-hostile/scene.ts";
import type { Proof } from "./proof.ts";

const fleet = { ackWait: "500ms" } as const;

/** Where behaviours are shown: a server, who works and calls there, and who misbehaves. */
interface Stage {
  name: string;
  server: NatsProcess;
  /** The tool that may run once, the one that may run again, and who runs them. */
  tools: readonly { name: string; idempotent: boolean; login: ConnectionOptions }[];
  caller: ConnectionOptions;
  callerName?: string;
  hostile: ConnectionOptions;
  /** Where participants need not trust each other: the operator, and the NKeys that callers sign with. */
  accounts?: {
    admin: ConnectionOptions;
    keys: Readonly<Record<string, ReturnType<typeof nkeys.createUser>>>;
  };
  /** Everybody in one account, which is one trust domain: what somebody in it brings about is shown, and is no miss. */
  trusts?: boolean;
}

export const proof: Proof = {
  name: "fleet-hostile",
  claim:
    "Beside hostile participants every call of a fleet is answered, and no result contradicts what happened",
  async run(mode, print) {
    const rounds = mode === "full" ? 3 : 1;
    const tally = { behaviours: 0, calls: 0, misses: 0 };
    const show = async (stage: Stage, behaviours: readonly Behaviour[]) => {
      for (const behaviour of behaviours) {
        const { calls, misses } = await perform(stage, behaviour, rounds);
        tally.behaviours += 1;
        tally.calls += calls;
        if (stage.trusts !== true) tally.misses += misses.length;
        const told = misses.length === 0 ? "held" : stage.trusts === true ? "open" : "MISS";
        print(`${told}  ${stage.name.padEnd(11)}  ${behaviour.name}`);
        for (const miss of misses) print(`      ${miss}`);
      }
    };
    await onOpenStage((stage) => show(stage, openFleet));
    await onBoundedStage("fleet.conf", (stage) => show(stage, bounded));
    await onBoundedStage("accounts.conf", (stage) => show(stage, bounded));
    await onBoundedStage("fleet.conf", (stage) => show(stage, [endedCredentials(stage)]));
    for (const name of ROLES)
      await onBoundedStage("accounts.conf", async (stage) => {
        const role = roleOf(name, stage.login(name));
        await show({ ...stage, hostile: role.login }, relays(role, stage.login("admin")));
      });
    // What comes about leaves a fleet that refuses to go on: each has a server of its own.
    for (const name of ROLES)
      for (let index = 0, count = 1; index < count; index++)
        await onBoundedStage("fleet.conf", async (stage) => {
          const role = roleOf(name, stage.login(name));
          const behaviours = relays(role, stage.login("admin"));
          count = behaviours.length;
          await show({ ...stage, hostile: role.login, trusts: true }, behaviours.slice(index, index + 1));
        });
    print(`${tally.behaviours} behaviours, ${tally.calls} calls, ${tally.misses} misses`);
    return { passed: tally.behaviours - tally.misses, failed: tally.misses };
  },
};

/** Calls of both tools are under way while somebody misbehaves, and some are made after. */
async function perform(
  stage: Stage,
  { act }: Behaviour,
  rounds: number,
): Promise<{ calls: number; misses: string[] }> {
  const effects = new Map<number, number>();
  const workers = stage.tools.map(
    ({ name, idempotent, login }) =>
      new NatsWorker({
        nats: login,
        fleet,
        tools: [effectful(name, effects, idempotent)],
        ...(stage.accounts !== undefined && { callers: callersOf(stage.accounts.keys) }),
      }),
  );
  if (stage.accounts !== undefined) {
    const tools = stage.tools.map(({ name, idempotent }) => effectful(name, effects, idempotent));
    await setUpFleet({ nats: stage.accounts.admin, fleet, tools });
  }
  for (const worker of workers) await worker.start();
  const { caller, callerName } = stage;
  const seed = stage.accounts?.keys.desk?.getSeed();
  const signer = seed === undefined ? {} : { signer: Buffer.from(seed).toString() };
  const named = callerName === undefined ? {} : { caller: callerName, ...signer };
  const executor = await NatsExecutor.connect({ nats: caller, fleet, queueTimeout: "10s", ...named });
  const hostile = await connect({ ...stage.hostile, maxReconnectAttempts: -1 });
  const misses: string[] = [];
  let calls = 0;
  for (let round = 0; round < rounds; round++) {
    const scene = new Scene(executor, hostile, effects);
    const prefix = callerName === undefined ? "hostile" : "";
    for (const { name } of stage.tools) await scene.call(name, { prefix });
    const complaint = await act(scene);
    for (const { name } of stage.tools) await scene.call(name, { ms: 0, begun: false, prefix });
    const answers = await scene.answers();
    calls += answers.length;
    if (typeof complaint === "string") misses.push(complaint);
    for (const answer of answers) {
      const miss = missOf(answer, effects.get(answer.number) ?? 0);
      if (miss !== undefined) misses.push(miss);
    }
  }
  await hostile.close();
  await executor.close();
  // What comes too late would still count.
  await pause(100);
  for (const worker of workers) await worker.stop("5s");
  for (const [number, times] of effects)
    if (number < 0 && times > 0) misses.push("a call ran that nobody made");
  return { calls, misses };
}

async function onOpenStage(show: (stage: Stage) => Promise<void>): Promise<void> {
  const server = await startNats();
  const login = { servers: server.url };
  const tools = [
    { name: "once", idempotent: false, login },
    { name: "again", idempotent: true, login },
  ];
  await show({ name: "open", server, tools, caller: login, hostile: login });
  await server.close();
}

async function onBoundedStage(
  file: "fleet.conf" | "accounts.conf",
  show: (stage: Stage & { login(user: string): ConnectionOptions }) => Promise<void>,
): Promise<void> {
  const server = await startConfiguredNats(file);
  const keys = { desk: nkeys.createUser(), site: nkeys.createUser() };
  await (await NatsExecutor.connect({ nats: server.login("admin"), fleet })).close();
  await show({
    name: file.replace(".conf", ""),
    server,
    tools: [
      { name: "send_mail", idempotent: false, login: server.login("mail-worker") },
      { name: "search_docs", idempotent: true, login: server.login("search-worker") },
    ],
    caller: server.login("desk"),
    callerName: "desk",
    hostile: server.login("site"),
    login: (user) => server.login(user),
    ...(file === "accounts.conf" && { accounts: { admin: server.login("admin"), keys } }),
  });
  await server.close();
}

const ROLES = ["site", "desk", "search-worker", "mail-worker"] as const;

function roleOf(name: (typeof ROLES)[number], login: ConnectionOptions): Role {
  const worker = name.endsWith("-worker");
  const queue = name === "desk" || name === "mail-worker" ? "send_mail" : "search_docs";
  return { name, login, worker, queue, key: `${worker ? "desk" : name}.evil` };
}

function callersOf(keys: NonNullable<Stage["accounts"]>["keys"]) {
  return Object.fromEntries(
    Object.entries(keys).map(([name, pair]) => [name, { keys: [pair.getPublicKey()] }]),
  );
}

/** The caller's password is changed while its calls are out: the server ends its connection and lets it in no more. */
function endedCredentials({ server }: Stage): Behaviour {
  return {
    name: "credentials of the caller that end while its calls are out",
    async act() {
      await server.reload((text) => text.replaceAll('"secret of desk"', '"another secret"'));
    },
  };
}
