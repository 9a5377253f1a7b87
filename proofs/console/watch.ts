import type { CDPSession, Page } from "playwright-core";

/** Times between frames, in milliseconds. */
export interface Frames {
  frames: number;
  p50: number;
  p95: number;
  p99: number;
  longest: number;
}

/** Counts the frames of a page from now on; the returned function says how they were. */
export async function watchFrames(page: Page): Promise<() => Promise<Frames>> {
  await page.evaluate(() => {
    const times: number[] = [];
    let last = performance.now();
    const next = (at: number) => {
      times.push(at - last);
      last = at;
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
    Object.assign(globalThis, { frameTimes: times });
  });
  return async () => {
    const times = await page.evaluate(() => (globalThis as unknown as { frameTimes: number[] }).frameTimes);
    const sorted = times.toSorted((a, b) => a - b);
    const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
    return { frames: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), longest: at(1) };
  };
}

/** What the page holds once its garbage is taken away. */
export async function heldBy(session: CDPSession): Promise<{ heapBytes: number; nodes: number }> {
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  const value = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
  return { heapBytes: value("JSHeapUsedSize"), nodes: value("Nodes") };
}
