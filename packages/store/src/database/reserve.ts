import { closeSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { logPath, sizeOf } from "./identity.ts";

/** It grows by so much at once, so that no call waits for all of it. */
const STEP = 2_097_152;
/** Stores with a smaller log have none. */
const WORTH_IT = 262_144;
/** How often it is looked at, while there are writes. */
const LOOK_MS = 250;
/** The disk has room for so many reserves more, or else it stays as it is. */
const ROOM = 2;

/**
 * A file beside the store's that keeps space on the disk for `prune`: on a full disk, what is removed has to be written to the log, and
 * the log to be merged, before anything is free. It is as long as the log, which is what merging it may need; a store that
 * never had much of a log has none.
 */
export class Reserve {
  readonly #path: string;
  readonly #log: string;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isReleased = false;

  constructor(path: string) {
    this.#path = `${path}-reserve`;
    this.#log = logPath(path);
  }

  /** After a write. Never throws: a reserve that cannot be made is missing only when it is needed. */
  keepUp(): void {
    const now = performance.now();
    if (this.#isReleased || now - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = now;
    try {
      const log = sizeOf(this.#log);
      const wanted = Math.max(STEP, log);
      if (log < WORTH_IT || sizeOf(this.#path) >= wanted || !this.#hasRoom(wanted)) return;
      const file = openSync(this.#path, "a", 0o600);
      try {
        // Not zeros, for which some file systems keep no space.
        writeSync(file, Buffer.alloc(STEP, crypto.getRandomValues(new Uint8Array(256))));
      } finally {
        closeSync(file);
      }
    } catch {
      // The disk is full, or the folder cannot be written to.
    }
  }

  /** Gives its space back to the disk, and takes none until `keep`. False where it had none. */
  release(): boolean {
    this.#isReleased = true;
    const had = sizeOf(this.#path) > 0;
    rmSync(this.#path, { force: true });
    return had;
  }

  keep(): void {
    this.#isReleased = false;
  }

  #hasRoom(wanted: number): boolean {
    const { bavail, bsize } = statfsSync(this.#path.replace(/-reserve$/, ""));
    return bavail * bsize > wanted * ROOM;
  }
}
