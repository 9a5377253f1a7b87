import { randomBytes } from "node:crypto";
import { rmdirSync, unlinkSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type AnyTool, result, type ToolContext, tool, validation } from "@toolrig/core";
import { check, defined } from "@toolrig/core/kit";
import { type Entry, openEntry } from "../confine/folder.ts";
import { shownPath } from "../confine/path-text.ts";
import { fileFailure } from "../confine/system-error.ts";
import { keep, MAX_KEPT, withEntry } from "./change.ts";
import { type Current, checkUnchanged, lookAt } from "./current.ts";
import { escapeLine, plainJson } from "./output.ts";
import { kindAt, type Relocation, relocate } from "./relocate.ts";
import { type ChangingOptions, type ChangingSettings, changingSettings, fileLock } from "./settings.ts";

export interface DeleteOptions extends ChangingOptions {
  /** The name of the folder, in each root, where deleted files go. Default ".trash". */
  trash?: string;
}

/** Searching tools pass it by. */
export const TRASH = ".trash";

const INPUT = {
  type: "object",
  properties: {
    path: { type: "string", description: "The file or folder, relative to the root." },
    permanent: {
      type: "boolean",
      description:
        "Delete it for good instead of moving it to the trash: files, links and empty folders only.",
    },
  },
  required: ["path"],
  additionalProperties: false,
} as const;

const OUTPUT = {
  type: "object",
  properties: {
    path: { type: "string" },
    kind: { enum: ["file", "folder", "link"] },
    trashed: { type: "string", description: "Where it is now; move_file brings it back." },
  },
  required: ["path", "kind"],
} as const;

/** `delete_file`: to a trash in the root, from where `move_file` brings it back; for good only where that is asked for. */
export function deleteFile(options: DeleteOptions): AnyTool {
  const settings = changingSettings("deleteFile", options, ["trash"]);
  const { trash = TRASH } = options;
  if (!/^[\w.-]+$/.test(trash) || /^\.+$/.test(trash))
    throw check.invalid("trash", "the name of a folder, such as .trash", trash);
  const { roots, labels } = settings;
  return tool({
    name: "delete_file",
    description: "Delete a file or folder. It goes to the trash, and the answer says how to bring it back.",
    input: INPUT,
    output: OUTPUT,
    safety: { sideEffects: "write", idempotent: false, requires: ["filesystem"] },
    timeout: "60s",
    // The answer tells what was there.
    labels: { ...labels, sinks: ["path"] },
    locks: ({ path }) => [fileLock(roots, path, "write")],
    async execute({ path, permanent = false }, context) {
      return withEntry(settings, path, { context }, async (entry) => {
        const kind = kindAt(entry);
        const { shown } = entry.place;
        if (kind === undefined) return validation(`There is no ${shownPath(shown)}.`);
        const keeps = { keep: settings.artifacts === undefined ? 0 : MAX_KEPT, signal: context.signal };
        const seen = kind === "file" ? await lookAt(roots, entry, keeps) : undefined;
        await keep(settings, seen?.content);
        context.signal.throwIfAborted();
        const deletion = { kind, seen, done: () => reportDeletion(context, shown, seen) };
        if (permanent) {
          await remove(entry, deletion);
          return result({ value: { path: shown, kind }, content: `Deleted ${escapeLine(shown)} for good.` });
        }
        const trashed = await toTrash(settings, trash, entry, deletion);
        const back = plainJson({ path: trashed, to: shown });
        return result({
          value: { path: shown, kind, trashed },
          content: `Moved ${escapeLine(shown)} to the trash. move_file with ${back} brings it back.`,
        });
      });
    },
  });
}

type Deletion = Omit<Relocation, "replaces">;

function reportDeletion(context: ToolContext, path: string, seen: Current | undefined): void {
  const [before, bytesBefore] = [seen?.sha256, seen?.bytes];
  context.effect({ type: "file", path, op: "delete", ...defined({ before, bytesBefore }) });
}

async function remove(entry: Entry, { kind, seen, done }: Deletion): Promise<void> {
  const { folder, name, place } = entry;
  try {
    folder.confirm();
    if (seen !== undefined) checkUnchanged(entry, seen);
    if (kind === "folder") rmdirSync(folder.at(name));
    else unlinkSync(folder.at(name));
    done();
    await folder.sync();
  } catch (error) {
    throw fileFailure(error, place.shown);
  }
}

/** Each deletion has a folder of its own in the trash, so that names never meet. */
async function toTrash(
  { roots }: ChangingSettings,
  trash: string,
  entry: Entry,
  deletion: Deletion,
): Promise<string> {
  const { absolute } = entry.place;
  const root = roots.rootOf(absolute);
  if (absolute === join(root, trash)) throw validation(`${shownPath(trash)} is the trash itself.`);
  const stamp = `${new Date().toISOString().replaceAll(/[:.]/g, "-")}-${randomBytes(3).toString("hex")}`;
  const target = await openEntry(roots, join(root, trash, stamp, entry.name), { make: true });
  try {
    if (target.made.includes(roots.shown(join(root, trash)))) await ignoredByGit(roots, join(root, trash));
    await relocate(entry, target, deletion);
    return target.place.shown;
  } finally {
    await target.folder.close();
  }
}

async function ignoredByGit(roots: ChangingSettings["roots"], trash: string): Promise<void> {
  const { folder, name } = await openEntry(roots, join(trash, ".gitignore"));
  try {
    await writeFile(folder.at(name), "*\n", { flag: "wx" });
  } catch {
    // It is there already, or cannot be: the trash works without it.
  } finally {
    await folder.close();
  }
}
