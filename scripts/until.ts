import { HANG_MS } from "./hang-limit.ts";

const EVERY_MS = 20;

/** Waits until something holds, in a hook or a helper; a test has `expect.poll`, which tells what it saw. Throws when it never does. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + HANG_MS;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`It did not come to hold in ${HANG_MS} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}
