import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolResult } from "@toolrig/core";
import { NatsExecutor } from "@toolrig/nats";
import { HANG_MS } from "../../scripts/hang-limit.ts";
import { type NatsProcess, startNats } from "../../scripts/start-nats.ts";
import { Crew } from "../fleet/crew.ts";
import type { ProofMode } from "../proof.ts";
import { linesIn } from "./parked-run.ts";

/** One thing that was shown. */
export interface FleetRow {
  what: string;
  expected: string;
  seen: string;
}

/** A call that waits: how that ends, and where its worker is killed, or the server. */
type Manner = "completed" | "cancelled" | "expired" | "checked" | "asked";
type Stage = "no step" | "received" | "claimed" | "ran" | "parking" | "parked" | Later | "server";
type Later = "checking" | "cancelling" | "settling";

const PARKING: readonly Stage[] = ["no step", "received", "claimed", "ran", "parking", "parked", "server"];
const STAGES: Record<Manner, readonly Stage[]> = {
  completed: [...PARKING, "settling"],
  cancelled: [...PARKING, "cancelling", "settling"],
  expired: [...PARKING, "cancelling", "settling"],
  checked: [...PARKING, "checking", "settling"],
  asked: [...PARKING, "settling"],
};
const QUICK: readonly (readonly [Manner, Stage])[] = [
  ["completed", "parking"],
  ["completed", "server"],
  ["asked", "parked"],
];

const EXPECTED: Record<Manner, string> = {
  completed: "live",
  cancelled: "TOOL_CANCELLED",
  expired: "TOOL_TIMEOUT",
  checked: "live",
  asked: "monday",
};

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Calls that wait on a fleet, one after the other, whose worker is killed at every step of parking, checking, cancelling and seeing
 * through, or whose server is while they wait: each has one result, and no effect happens twice.
 */
export async function fleetRows(mode: ProofMode): Promise<FleetRow[]> {
  const server = await startNats();
  const folder = mkdtempSync(join(tmpdir(), "toolrig-waiting-"));
  const crew = new Crew(server.url, folder, {}, join(import.meta.dirname, "fleet-worker.ts"));
  const nats = { servers: server.url, maxReconnectAttempts: -1, reconnectTimeWait: 100 };
  const executor = await NatsExecutor.connect({ nats, fleet: { ackWait: "500ms" } });
  const all = Object.entries(STAGES).flatMap(([manner, stages]) =>
    stages.map((stage) => [manner as Manner, stage] as const),
  );
  const rows: FleetRow[] = [];
  try {
    await crew.resize(2);
    for (const [manner, stage] of mode === "quick" ? QUICK : all) {
      const plan = { manner, stage, job: `${manner}-${stage.replace(" ", "-")}`, folder };
      const result = await seeThrough(executor, plan, server);
      const again = await executor.resultOf(result.executionId);
      const effects = linesIn(folder, "effects").filter((line) => line === plan.job).length;
      rows.push(rowOf(plan, [result, again], effects));
    }
    if (mode === "full") rows.push(await storm(executor, folder, server));
    return rows;
  } finally {
    await crew.dismiss();
    await executor.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const STORM = 60;

/** The server is killed again and again while calls are parked, checked, completed and answered; workers stay. */
async function storm(executor: NatsExecutor, folder: string, server: NatsProcess): Promise<FleetRow> {
  const manners = ["completed", "checked", "asked"] as const;
  const running = Promise.all(
    Array.from({ length: STORM }, async (_, number) => {
      const manner = manners[number % manners.length] ?? "completed";
      await pause(number * 50);
      const plan: Plan = { manner, stage: "no step", job: `storm-${number}`, folder };
      const { failure, value } = await seeThrough(executor, plan, server);
      // A worker that comes back later than its calls do is taken for lost.
      const isRight = value === EXPECTED[manner] || failure?.code === "TOOL_OUTCOME_UNKNOWN";
      return isRight ? "as expected or not known" : `${manner}: ${failure?.code ?? value}`;
    }),
  );
  for (let kill = 0; kill < 4; kill++) {
    await pause(900);
    await server.kill("SIGKILL");
    await server.restart();
  }
  const outcomes = await running;
  const counts = [...new Set(outcomes)].map(
    (each) => `${outcomes.filter((one) => one === each).length} ${each}`,
  );
  const effects = linesIn(folder, "effects").filter((line) => line.startsWith("storm-"));
  return {
    what: `${STORM} calls while the server is killed four times`,
    expected: `${STORM} as expected or not known; ${STORM} effects, each once`,
    seen: `${counts.join(", ")}; ${effects.length} effects, ${new Set(effects).size === effects.length ? "each once" : "some twice"}`,
  };
}

interface Plan {
  manner: Manner;
  stage: Stage;
  job: string;
  folder: string;
}

/** Makes the call, and brings what it waits for. */
async function seeThrough(
  executor: NatsExecutor,
  { manner, stage, job, folder }: Plan,
  server: NatsProcess,
): Promise<ToolResult> {
  const cancelling = new AbortController();
  const call = { id: job, name: manner, arguments: { job, dieAt: stage } };
  const executionId = `proof.${job}`;
  const result = executor.call(call, { executionId, signal: cancelling.signal });
  let over = false;
  void result.then(() => {
    over = true;
  });
  let kills = stage === "server";
  const until = Date.now() + HANG_MS;
  while (!over && Date.now() < until) {
    const now = await executor.resultOf(executionId, { onWaiting: "return" }).catch(() => undefined);
    if (now?.waiting !== undefined && kills) {
      kills = false;
      await server.kill("SIGKILL");
      await server.restart();
    } else if (now?.waiting !== undefined) {
      if (manner === "cancelled") cancelling.abort();
      if (manner === "completed") await complete(executor, folder, job);
      if (manner === "asked")
        await executor.remoteWaits
          .answer(now.waiting.id, { by: { id: "ann" }, value: "monday" })
          .catch(() => {});
    }
    await Promise.race([result, pause(300)]);
  }
  return result;
}

async function complete(executor: NatsExecutor, folder: string, job: string): Promise<void> {
  const file = join(folder, `token-${job}`);
  if (!existsSync(file)) return;
  const { executionId, token } = JSON.parse(readFileSync(file, "utf8")) as Record<
    "executionId" | "token",
    string
  >;
  await executor.remoteWaits.complete(executionId, token, "live").catch(() => {});
}

/** A tool that may have happened when its worker was lost is not run again, and nobody says that it has or has not. */
function rowOf(
  { manner, stage }: Plan,
  results: readonly (ToolResult | undefined)[],
  effects: number,
): FleetRow {
  const [came, again] = results.map((each) => each?.failure?.code ?? String(each?.value));
  // A tool that had only asked is started again with the answer.
  const isOpen = stage === "claimed" || (manner === "asked" && stage === "settling");
  const wanted = isOpen ? "TOOL_OUTCOME_UNKNOWN" : EXPECTED[manner];
  const most = stage === "claimed" ? 0 : 1;
  return {
    what: `${manner}, ${stage === "server" ? "the server killed while it waits" : `its worker killed at ${stage}`}`,
    expected: `${wanted}, once, ${most} effects`,
    seen: `${came}, ${again === came ? "once" : `then ${again}`}, ${effects} effects`,
  };
}
