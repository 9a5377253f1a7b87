/** A caller in a process of its own: `node calling.ts SYSTEM URL`. Keeps as many calls in flight as its parent says, for as long. */
import { CALLERS, type Call } from "./caller.ts";

/** What a caller is asked to do. */
export interface Task {
  width: number;
  /** At first, what is called counts for nothing. */
  warmMs: number;
  measureMs: number;
}

/** What came of it. */
export interface Turn {
  /** Calls a second. */
  rate: number;
  /** The median latency, in milliseconds. */
  p50: number;
}

async function turn(call: Call, { width, warmMs, measureMs }: Task): Promise<Turn> {
  const latencies: number[] = [];
  const from = performance.now() + warmMs;
  const until = from + measureMs;
  const one = async () => {
    for (let began = performance.now(); began < until; began = performance.now()) {
      await call();
      const ended = performance.now();
      if (ended >= from && ended < until) latencies.push(ended - began);
    }
  };
  await Promise.all(Array.from({ length: width }, one));
  latencies.sort((a, b) => a - b);
  return {
    rate: latencies.length / (measureMs / 1_000),
    p50: latencies[latencies.length >> 1] ?? Number.NaN,
  };
}

const [system = "", url = ""] = process.argv.slice(2);
process.once("disconnect", () => process.exit(0));
const call = await CALLERS[system]!(url);
process.on("message", async (task: Task) => void process.send?.(await turn(call, task)));
process.send?.("ready");
