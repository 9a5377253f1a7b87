import { setImmediate } from "node:timers/promises";

/** How long the event loop is held at a time. */
const SLICE_MS = 10;

/** Called between pieces of work: lets others have their turn when it has taken long enough. */
export function slices(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
