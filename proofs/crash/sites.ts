import { type CrashOptions, type CrashSite, crashSite } from "@toolrig/core/testing";

/** The longest pause before and after a write of a scenario, so that orders which only a busy disk shows are tried, too. */
export const SLOW_MS = 3;

/** Works on a site of its own, which is removed whatever happens. */
export async function onSite<T>(options: CrashOptions, work: (site: CrashSite) => Promise<T>): Promise<T> {
  const site = crashSite(options);
  try {
    return await work(site);
  } finally {
    site.remove();
  }
}

export async function inParallel<T>(
  items: readonly T[],
  workers: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}
