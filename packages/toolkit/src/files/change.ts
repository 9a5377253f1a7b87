import { createHash } from "node:crypto";
import { type DataLabels, result, type ToolContext, ToolFailure } from "@toolrig/core";
import { defined, type MarkedOutcome } from "@toolrig/core/kit";
import { type Entry, type EntryOptions, openEntry } from "../confine/folder.ts";
import { checkProtected } from "../confine/protected.ts";
import type { Current } from "./current.ts";
import { escapeLine } from "./output.ts";
import { markRead, stateRead } from "./read-marks.ts";
import { replaceFile } from "./replace.ts";
import type { ChangingSettings } from "./settings.ts";

/** Larger contents are not kept for diffs, and not edited. */
export const MAX_KEPT = 16 * 1024 * 1024;

/** What became of a file that was written. */
export interface Written {
  path: string;
  op: "create" | "write" | "unchanged";
  bytes: number;
  sha256: string;
  /** Of what was there before. */
  before?: string;
  /** Other names of the old file, which keep what it held. */
  otherNames?: number;
}

/** Opens an entry for a change, unless it is protected, and closes its folder when `use` is done with it. */
export async function withEntry<Result>(
  { roots, protect }: ChangingSettings,
  path: string,
  options: EntryOptions & { context: ToolContext },
  use: (entry: Entry) => Promise<Result>,
): Promise<Result> {
  checkProtected(roots.place(path), protect);
  const judge: EntryOptions["judge"] = (place) => checkProtected(place, protect);
  const entry = await openEntry(roots, path, { ...options, judge });
  try {
    for (const folder of entry.made) options.context.effect({ type: "file", path: folder, op: "mkdir" });
    return await use(entry);
  } finally {
    await entry.folder.close();
  }
}

/** Runs a change. A failure of it tells of what is at the path, and carries the labels of files. */
export async function describing(
  labels: DataLabels,
  change: () => Promise<MarkedOutcome>,
): Promise<MarkedOutcome> {
  try {
    return await change();
  } catch (error) {
    if (!ToolFailure.isInstance(error)) throw error;
    return result({ failure: error.failure, labels });
  }
}

/** Writes the content of an entry and reports the effect. What is there already is left as it is. */
export async function write(
  settings: ChangingSettings,
  entry: Entry,
  content: Buffer,
  seen: Current | undefined,
  { context, isWhole }: { context: ToolContext; isWhole: boolean },
): Promise<Written> {
  const sha256 = createHash("sha256").update(content).digest("hex");
  const { shown: path, absolute } = entry.place;
  const before = seen?.sha256;
  const written = { path, bytes: content.length, sha256, ...defined({ before }) };
  // Who writes all of a file knows all of it; who changes a part knows what they knew before.
  const isKnown = isWhole || (seen !== undefined && stateRead(context, absolute) === seen.state);
  if (seen?.sha256 === sha256) {
    if (isKnown) markRead(context, absolute, seen.state);
    return { ...written, op: "unchanged" };
  }
  const op = seen === undefined ? "create" : "write";
  await keep(settings, seen?.content);
  await keep(settings, content);
  const state = await replaceFile(entry, content, {
    seen,
    signal: context.signal,
    done: () =>
      context.effect({
        type: "file",
        path,
        op,
        ...defined({ bytesBefore: seen?.bytes, before }),
        bytesAfter: content.length,
        after: sha256,
      }),
  });
  if (isKnown) markRead(context, absolute, state);
  return {
    ...written,
    op,
    ...(seen !== undefined && seen.otherNames > 0 && { otherNames: seen.otherNames }),
  };
}

/** Keeps content for diffs, where somebody wants them. */
export async function keep(
  { artifacts, labels }: ChangingSettings,
  content: Uint8Array | undefined,
): Promise<void> {
  if (artifacts !== undefined && content !== undefined && content.length <= MAX_KEPT)
    await artifacts.put(content, labels);
}

export const WRITTEN = {
  type: "object",
  properties: {
    path: { type: "string" },
    op: { enum: ["create", "write", "unchanged"] },
    bytes: { type: "integer" },
    sha256: { type: "string" },
    before: { type: "string" },
    otherNames: { type: "integer" },
  },
  required: ["path", "op", "bytes", "sha256"],
} as const;

/** What was done, for the model. */
export function writtenText({ path, op, bytes, sha256, otherNames }: Written): string {
  const verb = { create: "Created", write: "Wrote", unchanged: "Nothing to change in" }[op];
  const links =
    otherNames === undefined ? "" : `\nThe file had ${otherNames} other hard links, which keep what it held.`;
  return `${verb} ${escapeLine(path)} (${bytes} bytes, sha256 ${sha256}).${links}`;
}
