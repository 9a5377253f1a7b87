import { parentPort, workerData } from "node:worker_threads";
import { ToolrigError } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import type { ApartAnswer, ApartTask } from "./apart.ts";
import { type Backup, backUp } from "./backup.ts";
import { openStore } from "./open-store.ts";
import type { Audit } from "./records/verify.ts";

const task = workerData as ApartTask;
parentPort?.postMessage(answered());

function answered(): ApartAnswer {
  try {
    return { value: work() };
  } catch (error) {
    if (!ToolrigError.isInstance(error)) throw error;
    return {
      code: error.code === "OPTION_INVALID" ? "OPTION_INVALID" : "STORE_FAILED",
      message: error.message,
    };
  }
}

function work(): Audit | Backup {
  if (task.do === "backup") return backUp(task.path, task.target);
  const store = openStore(task.path, { readOnly: true, ...defined({ auditKey: task.auditKey }) });
  try {
    return store.records.verify(task.anchors);
  } finally {
    store.close();
  }
}
