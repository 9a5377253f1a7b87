/** Somebody takes forever, and the call is answered by its deadline all the same; what comes later is told as late. */
import type { CallEvent, Executor } from "@toolrig/core";
import { HANG_MS } from "../scripts/hang-limit.ts";
import { startNats } from "../scripts/start-nats.ts";
import { COMMANDS } from "./deadlines/commands.ts";
import { fleetCases, RUNS } from "./deadlines/far.ts";
import { AROUND, type Case, Gate, LIMIT_MS, TOGETHER, TOOLS } from "./deadlines/slow.ts";
import type { Proof } from "./proof.ts";

/** Undefined for what does not come. */
async function ever<T>(pending: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const never = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), HANG_MS);
  });
  try {
    return await Promise.race([pending, never]);
  } finally {
    clearTimeout(timer);
  }
}

type Late = Extract<CallEvent, { type: "call.late" }>;

/** Misses. */
async function missesOf({ want, late, run }: Case): Promise<string[]> {
  const gate = new Gate();
  const told: Late[] = [];
  const first = Promise.withResolvers<void>();
  const seen = (executor: Executor) => {
    executor.events.on("call.late", (event) => {
      told.push(event);
      first.resolve();
    });
    return executor;
  };
  const waited = await ever(run(gate, seen));
  if (waited === undefined) return [`was not answered in ${HANG_MS / 1_000} s`];
  const { result, problems = [] } = waited;
  const misses = [...problems];
  const got = result.failure?.code ?? "ok";
  if (got !== want) misses.push(`${got} instead of ${want}`);
  const answered = JSON.stringify(result);
  gate.open();
  if (late !== undefined) await ever(first.promise);
  const [event] = told;
  const came = event === undefined ? undefined : event.isError ? "error" : "value";
  if (came !== late) misses.push(`${came ?? "nothing"} was told as late instead of ${late ?? "nothing"}`);
  if (JSON.stringify(result) !== answered) misses.push("what came late changed the result");
  return misses;
}

export const proof: Proof = {
  name: "deadlines",
  claim: "Whoever takes forever, the call is answered by its deadline, and what comes later is told as late",
  async run(mode, print) {
    const server = await startNats();
    const cases = [...TOOLS, ...COMMANDS, ...AROUND, ...TOGETHER, ...RUNS, ...fleetCases(server.url)];
    const rounds = mode === "full" ? 20 : 1;
    let failed = 0;
    try {
      for (const each of cases) {
        const misses = new Map<string, number>();
        for (let round = 0; round < rounds; round++)
          for (const miss of await missesOf(each)) misses.set(miss, (misses.get(miss) ?? 0) + 1);
        const late = each.late === undefined ? "" : `, then a late ${each.late}`;
        print(`${misses.size === 0 ? "ok  " : "MISS"} ${each.who.padEnd(36)} ${each.want}${late}`);
        for (const [miss, count] of misses) print(`       ${miss} (${count} of ${rounds})`);
        failed += misses.size;
      }
    } finally {
      await server.close();
    }
    print(`${cases.length} who take forever, limits of ${LIMIT_MS} ms, ${rounds} rounds`);
    return { passed: cases.length * rounds - failed, failed };
  },
};
