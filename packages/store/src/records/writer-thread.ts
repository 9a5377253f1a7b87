/** Writes the records that it is sent, one batch after the other, and says what came of each. */

import { parentPort, workerData } from "node:worker_threads";
import { Database } from "../database/database.ts";
import { WriteLock } from "../database/write-lock.ts";
import { Chain } from "./chain.ts";
import type { Entry } from "./entry.ts";
import { RecordLog } from "./log.ts";

export interface WriterSetup {
  path: string;
  busyTimeoutMs: number;
  maxBytes?: number;
  auditKey?: string;
  shared: SharedArrayBuffer;
}

/** What came of the batch that was sent last. */
export interface Written {
  error?: string;
}

const { path, busyTimeoutMs, maxBytes, auditKey, shared } = workerData as WriterSetup;
const database = new Database(path, {
  busyTimeoutMs,
  readOnly: false,
  writeLock: new WriteLock({ shared, first: true }),
  ...(maxBytes !== undefined && { maxBytes }),
});
const log = new RecordLog(database, new Chain(database, auditKey), () => Date.now());

function written(entries: readonly Entry[]): Written {
  try {
    log.append(entries);
    return {};
  } catch (error) {
    return { error: (error as Error).message };
  }
}

parentPort?.on("message", (entries: readonly Entry[] | "close") => {
  if (entries !== "close") parentPort?.postMessage(written(entries));
  else {
    database.close();
    parentPort?.close();
  }
});
parentPort?.postMessage({});
