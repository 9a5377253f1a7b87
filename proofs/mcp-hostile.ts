/** Hostile MCP servers over real pipes and sockets: each comes to its documented outcome, and nothing else is held up by it. */

import { HANG_MS } from "../scripts/hang-limit.ts";
import type { Behaviour } from "./mcp-hostile/behaviour.ts";
import { httpBehaviours, stdioBehaviours } from "./mcp-hostile/behaviours.ts";
import { House, Scene } from "./mcp-hostile/scene.ts";
import { LoopWatch } from "./mcp-hostile/watch.ts";
import type { Proof } from "./proof.ts";

/** How long one turn of the event loop may take, in milliseconds. */
const MAX_HELD_MS = 100;
/** How many behaviours go on at once in the quick version. One that was held up by something is then looked at alone. */
const LANES = 6;
/** So often: what holds up a machine that is busy does not do so each time. */
const LOOKS = 3;
const GOOD_EVERY_MS = 20;

interface Seen {
  problem: string | undefined;
  heldMs: number;
}

export const proof: Proof = {
  name: "mcp-hostile",
  claim:
    "each of over 120 hostile MCP server behaviours comes to its documented outcome, and holds up nothing else",
  async run(mode, print) {
    const house = await House.open();
    const watch = new LoopWatch().start();
    const good = new GoodCalls(house);
    const tally = { passed: 0, failed: 0 };
    try {
      await warmUp(house);
      const all = [...stdioBehaviours, ...httpBehaviours].filter(
        ({ long }) => mode === "full" || long !== true,
      );
      const judge = judging(house, watch);
      const seen = await inLanes(all, mode === "quick" ? LANES : 1, judge);
      let longest = 0;
      for (const [index, behaviour] of all.entries()) {
        let came = seen[index] as Seen;
        for (let look = 0; mode === "quick" && look < LOOKS && isMissed(came); look++)
          came = await judge(behaviour);
        const late =
          came.heldMs > MAX_HELD_MS ? `the event loop was held for ${came.heldMs.toFixed(0)} ms` : undefined;
        const problem = came.problem ?? late;
        longest = Math.max(longest, came.heldMs);
        tally[problem === undefined ? "passed" : "failed"] += 1;
        const verdict = problem === undefined ? behaviour.outcome : `MISS: ${problem}`;
        print(
          `${problem === undefined ? "held" : "MISS"}  ${behaviour.name}: ${verdict} (${came.heldMs.toFixed(0)} ms)`,
        );
      }
      const { calls, failed, slowestMs } = await good.stop();
      tally[failed === 0 && calls > 0 ? "passed" : "failed"] += 1;
      print(
        `${failed === 0 ? "held" : "MISS"}  ${calls} calls of a good server meanwhile, ${failed} failed, the slowest ${slowestMs.toFixed(0)} ms`,
      );
      print(
        `${all.length} behaviours; the longest turn of the event loop took ${longest.toFixed(0)} ms of this thread's time`,
      );
      return tally;
    } finally {
      watch.stop();
      await good.stop();
      await house.close();
    }
  },
};

function isMissed({ heldMs, problem }: Seen): boolean {
  return heldMs > MAX_HELD_MS || problem !== undefined;
}

/** What is compiled and loaded at first is not what a server does. */
async function warmUp(house: House): Promise<void> {
  for (let times = 0; times < 20; times += 1) await house.isGood();
}

function judging(house: House, watch: LoopWatch): (behaviour: Behaviour) => Promise<Seen> {
  let count = 0;
  return async (behaviour) => {
    count += 1;
    const scene = new Scene(house, count);
    let problem: string | undefined;
    const since = performance.now();
    try {
      await inTime("connecting", scene.connect(behaviour));
      await inTime("the check", behaviour.check(scene));
      await inTime("disconnecting", scene.leave());
    } catch (error) {
      problem = (error as Error).message;
      void scene.leave();
    }
    return { problem, heldMs: watch.longestSince(since) };
  };
}

async function inTime(what: string, pending: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not end`)), HANG_MS);
  });
  await Promise.race([pending, late]).finally(() => clearTimeout(timer));
}

async function inLanes<Item, Result>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < items.length; index = next++)
      results[index] = await work(items[index] as Item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

/** Calls of a good server, one after the other for as long as the proof goes on. */
class GoodCalls {
  readonly #over: Promise<void>;
  #isOver = false;
  #calls = 0;
  #failed = 0;
  #slowestMs = 0;

  constructor(house: House) {
    this.#over = this.#goOn(house);
  }

  async #goOn(house: House): Promise<void> {
    while (!this.#isOver) {
      const since = performance.now();
      if (!(await house.isGood())) this.#failed += 1;
      this.#calls += 1;
      this.#slowestMs = Math.max(this.#slowestMs, performance.now() - since);
      await new Promise((resolve) => setTimeout(resolve, GOOD_EVERY_MS));
    }
  }

  async stop() {
    this.#isOver = true;
    await this.#over;
    return { calls: this.#calls, failed: this.#failed, slowestMs: this.#slowestMs };
  }
}
