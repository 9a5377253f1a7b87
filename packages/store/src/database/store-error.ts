import { ToolrigError } from "@toolrig/core";

/** Why a store cannot do what was asked. In the error's details, for programs. */
export type StoreProblem =
  | "full"
  | "read-only"
  | "locked"
  | "corrupt"
  | "tampered"
  | "replaced"
  | "empty"
  | "no-file"
  | "no-log"
  | "other-log"
  | "not-a-store"
  | "newer-version"
  | "no-access"
  | "io"
  | "closed"
  | "failed";

/** SQLite's primary result codes. */
const PROBLEM_OF: Readonly<Record<number, StoreProblem>> = {
  5: "locked",
  6: "locked",
  8: "read-only",
  10: "io",
  11: "corrupt",
  13: "full",
  14: "no-access",
  26: "not-a-store",
};

const ADVICE: Readonly<Record<StoreProblem, string>> = {
  full: "there is no space left for it. Free some space, or prune the store; reading still works",
  "read-only": "it can only be read. Make the file and its folder writable to record calls",
  locked: "another process holds its write lock for too long. Find that process, or raise busyTimeout",
  corrupt: "its file is damaged. Restore a backup, or save what is readable with `sqlite3 FILE .recover`",
  tampered:
    "it holds what was not written with auditKey. Give the right key, or look into it with `records.verify()`",
  replaced:
    "its file, or the log beside it, was deleted, replaced or overwritten while it was open. Stop the processes that use it, find out what happened to the file, restore a backup with `toolrig restore` where it is lost, then open it again",
  empty:
    "its file is empty, which a store never is: it was truncated, or it is a copy that was not finished. Restore a backup with `toolrig restore`; nothing was changed",
  "no-file":
    "its file is missing, and the log of a store is still there. Put the file back that belongs to the log, or restore a backup with `toolrig restore`; nothing was changed",
  "no-log":
    "its log is missing, and with it what was written last. Put the -wal file back that was beside it, or restore a backup with `toolrig restore`; nothing was changed",
  "other-log":
    "the log beside it belongs to another file, and would ruin this one. Put the right -wal file back, or restore a backup with `toolrig restore`; nothing was changed",
  "not-a-store": "the file is not a Toolrig store. Choose another path; nothing was changed",
  "newer-version": "it was written by a newer Toolrig. Update this one; nothing was changed",
  "no-access": "it cannot be opened. Check that the folder exists and may be written to",
  io: "the disk reported an error. Check the disk, then restore a backup if the error stays",
  closed: "it was closed. Open it again",
  failed: "SQLite refused",
};

export function storeError(path: string, problem: StoreProblem, why?: string, cause?: unknown): ToolrigError {
  const reason = why === undefined ? "" : ` (${why})`;
  return new ToolrigError("STORE_FAILED", `The store ${path}: ${ADVICE[problem]}${reason}.`, {
    details: { path, problem },
    cause,
  });
}

/** One row, found where the path of its file is not known. */
export function damagedRow(why: string, cause?: unknown): ToolrigError {
  const message = `A row of the store is damaged: it holds ${why}. Restore a backup, or remove the row.`;
  return new ToolrigError("STORE_FAILED", message, { details: { problem: "corrupt" }, cause });
}

/** The error a caller sees for whatever SQLite threw. */
export function asStoreError(path: string, thrown: unknown): unknown {
  if (ToolrigError.isInstance(thrown)) return thrown;
  const { code, errcode, message } = thrown as { code?: unknown; errcode?: unknown; message?: unknown };
  if (code === "ERR_INVALID_STATE") return storeError(path, "closed", undefined, thrown);
  // A number that no column of a store has.
  if (code === "ERR_OUT_OF_RANGE") return storeError(path, "corrupt", String(message), thrown);
  if (code !== "ERR_SQLITE_ERROR" || typeof errcode !== "number") return thrown;
  return storeError(path, PROBLEM_OF[errcode & 0xff] ?? "failed", String(message), thrown);
}
