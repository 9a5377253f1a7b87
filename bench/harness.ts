import type { Measured } from "./benchmark.ts";

/** Runs an operation `count` times. */
export type Subject = (count: number) => unknown;

export interface CompareOptions {
  /** CPU time in ms that each subject runs before anything counts. Default 400. */
  warmMs?: number;
  /** CPU time in ms of one slice, at least. Default 20. */
  sliceMs?: number;
  /** How many slices of each subject count. Default 15. */
  slices?: number;
}

/**
 * CPU time of the main thread in ms: waiting for a core, as one does on a busy machine, does not count. The process
 * clock is read first because the thread's own is only brought up to date by that, or at a scheduler tick.
 */
export function cpuTime(): number {
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * The cost of one operation of each subject, relative to the first. Subjects take turns in short slices and a ratio
 * is taken inside one turn, so whatever slows the machine down for a while slows both sides.
 */
export async function compare(
  subjects: Readonly<Record<string, Subject>>,
  { warmMs = 400, sliceMs = 20, slices = 15 }: CompareOptions = {},
): Promise<Measured> {
  const names = Object.keys(subjects);
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, await warmUp(subjects[name]!, warmMs, sliceMs));
  globalThis.gc?.();
  const ratios = names.map((): number[] => []);
  for (let slice = 0; slice < slices; slice++) {
    const costs: number[] = [];
    for (const name of names) costs.push(await cost(subjects[name]!, counts.get(name)!));
    for (const [index, each] of costs.entries()) ratios[index]!.push(each / costs[0]!);
  }
  return Object.fromEntries(names.map((name, index) => [name, median(ratios[index]!)]));
}

/** CPU ms per operation. */
export async function cost(subject: Subject, count: number): Promise<number> {
  const before = cpuTime();
  await subject(count);
  return (cpuTime() - before) / count;
}

/** Runs the subject until it is compiled, and finds how many operations fill a slice. */
async function warmUp(subject: Subject, warmMs: number, sliceMs: number): Promise<number> {
  let count = 1;
  for (let spent = 0; spent < warmMs; ) {
    const took = (await cost(subject, count)) * count;
    spent += took;
    if (took < sliceMs / 2) count *= 2;
  }
  return Math.max(1, Math.round(sliceMs / (await cost(subject, count))));
}

/** Bytes on the heap that are still reachable. */
export function liveHeap(): number {
  if (globalThis.gc === undefined) throw new Error("Start node with --expose-gc to measure the live heap.");
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
