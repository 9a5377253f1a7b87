import { Worker } from "node:worker_threads";
import { ToolrigError } from "@toolrig/core";
import type { Anchor, Audit } from "./records/verify.ts";

const THREAD = new URL(`./verify-thread${import.meta.url.slice(-3)}`, import.meta.url);
/** Sources that are not built yet are run as they are, with those of the packages that they import. */
const EXEC_ARGV = THREAD.pathname.endsWith(".ts") ? ["--conditions=@toolrig/source", "--no-warnings"] : [];

/** What the thread is given. */
export interface VerifyTask {
  path: string;
  auditKey: string | undefined;
  anchors: readonly Anchor[];
}

/** Verifies the records of a file in a thread of its own. Rejects with `STORE_FAILED` when it cannot be read there. */
export function verifyInThread(
  path: string,
  auditKey: string | undefined,
  anchors: readonly Anchor[],
): Promise<Audit> {
  const workerData: VerifyTask = { path, auditKey, anchors };
  const worker = new Worker(THREAD, { workerData, execArgv: EXEC_ARGV });
  // It holds nobody up who wants to end.
  worker.unref();
  return new Promise((resolve, reject) => {
    const failed = (why: string) =>
      reject(new ToolrigError("STORE_FAILED", `The records cannot be verified: ${why}`));
    worker.once("message", resolve);
    worker.once("error", (error: Error) => failed(error.message));
    worker.once("exit", () => failed("the thread ended."));
  });
}
