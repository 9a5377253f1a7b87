import { setImmediate } from "node:timers/promises";

/** How long texts are read and written in one turn of the event loop before others get theirs. */
const SHARE_MS = 10;

let spent = 0;
let turnsOver: Promise<void> | undefined;

/**
 * Does a piece of work that takes its time because a text is long. Pieces that come together are spread over turns of the event
 * loop: however many runs report at once, timers and connections of the process are served in between.
 */
export async function paced<Made>(work: () => Made): Promise<Made> {
  while (spent >= SHARE_MS) await turnsOver;
  const from = performance.now();
  try {
    return work();
  } finally {
    spent += performance.now() - from;
    turnsOver ??= setImmediate().then(() => {
      spent = 0;
      turnsOver = undefined;
    });
  }
}
