import { Worker } from "node:worker_threads";
import { ToolrigError } from "@toolrig/core";
import { programBeside } from "@toolrig/core/kit";
import type { Backup } from "./backup.ts";
import type { Anchor, Audit } from "./records/verify.ts";

/** Work that reads all of a file, for a thread of its own. */
export type ApartTask =
  | { do: "verify"; path: string; auditKey: string | undefined; anchors: readonly Anchor[] }
  | { do: "backup"; path: string; target: string };

/** What the thread answers. */
export type ApartAnswer =
  | { value: Audit | Backup }
  | { code: "OPTION_INVALID" | "STORE_FAILED"; message: string };

/** Rejects with `STORE_FAILED` when the file cannot be read, and with what the work itself throws. */
export function runApart(task: Extract<ApartTask, { do: "verify" }>): Promise<Audit>;
export function runApart(task: Extract<ApartTask, { do: "backup" }>): Promise<Backup>;
export function runApart(workerData: ApartTask): Promise<Audit | Backup> {
  const thread = programBeside(import.meta.url, "apart-thread");
  // Sources that are not built are run as they are, with those of the packages that they import.
  const execArgv = thread.pathname.endsWith(".ts") ? ["--conditions=@toolrig/source", "--no-warnings"] : [];
  const worker = new Worker(thread, { workerData, execArgv });
  // It holds nobody up who wants to end. A backup that was asked for is made.
  if (workerData.do === "verify") worker.unref();
  return new Promise((resolve, reject) => {
    const failed = (why: string) =>
      reject(new ToolrigError("STORE_FAILED", `The ${workerData.do} of ${workerData.path} failed: ${why}`));
    worker.once("message", (answer: ApartAnswer) =>
      "value" in answer ? resolve(answer.value) : reject(new ToolrigError(answer.code, answer.message)),
    );
    worker.once("error", (error: Error) => failed(error.message));
    worker.once("exit", () => failed("the thread ended."));
  });
}
