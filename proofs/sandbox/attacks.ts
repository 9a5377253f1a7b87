/** Code of enemies: nothing of the host comes out, nothing holds it up, memory stays capped, the next run works. */

import { HANG_MS } from "../../scripts/hang-limit.ts";
import type { ProofMode, Verdict } from "../proof.ts";
import type { Attack } from "./attack.ts";
import { realm } from "./attacks/realm.ts";
import { results } from "./attacks/results.ts";
import { space } from "./attacks/space.ts";
import { tampering } from "./attacks/tampering.ts";
import { time } from "./attacks/time.ts";
import { HostWatch } from "./host-watch.ts";
import { escapeIn, SECRET, Stage } from "./stage.ts";

const ALL: readonly Attack[] = [...realm, ...tampering, ...results, ...time, ...space];

/** The quick version makes one in so many, of every kind. */
const QUICK_EACH = 5;
/** And so many at a time: most of their time they wait for a thread to be ended. */
const QUICK_LANES = 4;

const MAX_BLOCKED_MS = 50;
/** Above what the process has before: the engine's largest memory, twice for a thread that ends while the next one starts, and the threads. */
const MAX_GROWTH = 400 * 1024 * 1024;

export async function attacks(mode: ProofMode, print: (line: string) => void): Promise<Verdict> {
  const watch = new HostWatch();
  const before = process.memoryUsage.rss();
  const chosen =
    mode === "full" ? ALL : ALL.filter(({ slow }, index) => slow !== true && index % QUICK_EACH === 0);
  let [failed, blocked, peak] = [0, 0, 0];
  const tell = (name: string, miss: string | undefined) => {
    if (miss !== undefined) failed += 1;
    if (miss !== undefined || mode === "full")
      print(`${miss === undefined ? "held" : "MISS"}  ${name}${miss === undefined ? "" : `: ${miss}`}`);
  };
  const left = [...chosen];
  async function lane(): Promise<void> {
    const stage = new Stage();
    for (let attack = left.shift(); attack !== undefined; attack = left.shift()) {
      const miss = await withoutHanging(stage.make(attack));
      const seen = watch.take();
      blocked = Math.max(blocked, seen.blockedMs);
      peak = Math.max(peak, seen.peakRss);
      tell(attack.name, miss ?? held(seen, before));
    }
    stage.close();
  }
  for (const [name, miss] of await controls(watch)) tell(name, miss);
  await Promise.all(Array.from({ length: mode === "full" ? 1 : QUICK_LANES }, lane));
  watch.close();
  print(
    `${chosen.length} attacks of ${ALL.length}, ${failed} misses; the host was held up for ${Math.round(blocked)} ms at most, ` +
      `and grew by ${Math.round((peak - before) / 1024 / 1024)} MiB at most`,
  );
  return { passed: chosen.length + CONTROLS - failed, failed };
}

function held(
  { blockedMs, peakRss }: { blockedMs: number; peakRss: number },
  before: number,
): string | undefined {
  if (blockedMs > MAX_BLOCKED_MS) return `the host was held up for ${Math.round(blockedMs)} ms`;
  const growth = peakRss - before;
  return growth > MAX_GROWTH ? `the process grew by ${Math.round(growth / 1024 / 1024)} MiB` : undefined;
}

const CONTROLS = 3;

/** What is looked for is found when it is there. */
async function controls(watch: HostWatch): Promise<[name: string, miss: string | undefined][]> {
  watch.take();
  await new Promise((resolve) => setTimeout(resolve, 20));
  const until = performance.now() + 400;
  const cpu = process.threadCpuUsage();
  const worked = () => {
    const { user, system } = process.threadCpuUsage(cpu);
    return (user + system) / 1_000;
  };
  while (performance.now() < until || worked() < 2 * MAX_BLOCKED_MS);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const seen = watch.take();
  const leaked = escapeIn({ value: `it is ${SECRET}` }, []);
  Object.defineProperty(Array.prototype, "polluted", { value: 1, configurable: true });
  const polluted = escapeIn({}, []);
  Reflect.deleteProperty(Array.prototype, "polluted");
  return [
    [
      "control: a host that is held up is seen",
      seen.blockedMs > MAX_BLOCKED_MS ? undefined : "it was not seen",
    ],
    ["control: a secret that comes out is seen", leaked === undefined ? "it was not seen" : undefined],
    ["control: a changed prototype is seen", polluted === undefined ? "it was not seen" : undefined],
  ];
}

function withoutHanging(made: Promise<string | undefined>): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve("it hangs"), HANG_MS);
  });
  const ended = made.catch((error: unknown) => `it threw ${error}`);
  return Promise.race([ended, hung]).finally(() => clearTimeout(timer));
}
