import { createHash } from "node:crypto";
import { type AnyTool, result, tool, validation } from "@toolrig/core";
import { checkNewName, shownPath } from "../confine/path-text.ts";
import { describing, MAX_KEPT, WRITTEN, withEntry, write, writtenText } from "./change.ts";
import { type Current, lookAt } from "./current.ts";
import { stateRead } from "./read-marks.ts";
import { type ChangingOptions, changingSettings, fileLock } from "./settings.ts";

const INPUT = {
  type: "object",
  properties: {
    path: {
      type: "string",
      description: "The file, relative to the root. Folders that are missing are made.",
    },
    content: { type: "string", description: "All that the file shall hold, written as UTF-8." },
    beforeHash: {
      type: "string",
      pattern: "^[0-9a-f]{64}$",
      description: "Write only if the file's SHA-256, in hex, is this one: nobody else changed it meanwhile.",
    },
    mustNotExist: { type: "boolean", description: "Write only if there is no such file yet." },
  },
  required: ["path", "content"],
  additionalProperties: false,
} as const;

/** `write_file`: the whole content of a file, all of it or nothing, also when the machine fails. */
export function writeFile(options: ChangingOptions): AnyTool {
  const settings = changingSettings("writeFile", options);
  const { roots, labels } = settings;
  return tool({
    name: "write_file",
    description:
      "Write a file as a whole, making or replacing it at once. To change a part of a file, edit_file is safer.",
    input: INPUT,
    output: WRITTEN,
    safety: { sideEffects: "write", idempotent: true, requires: ["filesystem"] },
    timeout: "30s",
    // What an answer tells of a file that is there carries `labels`: see `describing`.
    labels: { sinks: ["path"] },
    locks: ({ path }) => [fileLock(roots, path, "write")],
    async execute({ path, content, beforeHash, mustNotExist }, context) {
      if (beforeHash !== undefined && mustNotExist === true)
        return validation("beforeHash and mustNotExist cannot hold together.");
      if (path.endsWith("/"))
        return validation(`${shownPath(path)} names a folder; give the path of a file.`);
      if (!content.isWellFormed())
        return validation("content holds half a character (a lone surrogate), which no file can.");
      const bytes = Buffer.from(content);
      return describing(labels, () =>
        withEntry(settings, path, { make: true, follow: true, context }, async (entry) => {
          const keep = settings.artifacts === undefined ? 0 : MAX_KEPT;
          const seen = await lookAt(roots, entry, {
            keep,
            hash: beforeHash !== undefined,
            signal: context.signal,
          });
          if (seen === undefined) checkNewName(entry.name);
          const problem = unmet(
            { beforeHash, mustNotExist, known: stateRead(context, entry.place.absolute) },
            seen,
            bytes,
          );
          if (problem !== undefined) throw validation(`${shownPath(entry.place.shown)} ${problem}`);
          const written = await write(settings, entry, bytes, seen, { context, isWhole: true });
          const known = written.op === "create" ? {} : { labels };
          return result({ value: written, content: writtenText(written), ...known });
        }),
      );
    },
  });
}

interface Conditions {
  beforeHash: string | undefined;
  mustNotExist: boolean | undefined;
  /** The state in which the run has read the file, if it has. */
  known: string | undefined;
}

/** A file that holds the content already meets every condition but the last: the call was made before, and its answer lost. */
function unmet(
  { beforeHash, mustNotExist, known }: Conditions,
  seen: Current | undefined,
  content: Buffer,
): string | undefined {
  const isThere = seen?.sha256 === createHash("sha256").update(content).digest("hex");
  const hash = seen?.sha256 === undefined ? "" : ` (sha256 ${seen.sha256})`;
  if (mustNotExist === true && seen !== undefined)
    return `exists already${isThere ? ", with exactly this content" : ""}${hash}.`;
  if (isThere) return undefined;
  if (beforeHash === undefined) {
    if (seen === undefined || known === undefined || known === seen.state) return undefined;
    return "was changed since it was read: this would undo the change. Read it again, from its beginning.";
  }
  if (seen?.sha256 === beforeHash) return undefined;
  if (seen === undefined) return `does not exist, so its hash is not ${beforeHash}.`;
  return `was changed: its sha256 is ${seen.sha256}, not ${beforeHash}. Read it again.`;
}
