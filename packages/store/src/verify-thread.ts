import { parentPort, workerData } from "node:worker_threads";
import { defined } from "@toolrig/core/kit";
import { openStore } from "./open-store.ts";
import type { VerifyTask } from "./verify-apart.ts";

const { path, auditKey, anchors } = workerData as VerifyTask;
const store = openStore(path, { readOnly: true, ...defined({ auditKey }) });
try {
  parentPort?.postMessage(store.records.verify(anchors));
} finally {
  store.close();
}
