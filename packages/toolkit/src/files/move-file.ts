import { type AnyTool, result, tool, validation } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import { checkNewName, shownPath } from "../confine/path-text.ts";
import { keep, MAX_KEPT, withEntry } from "./change.ts";
import { type Current, lookAt } from "./current.ts";
import { escapeLine } from "./output.ts";
import { kindAt, relocate } from "./relocate.ts";
import { type ChangingOptions, changingSettings, fileLock } from "./settings.ts";

const INPUT = {
  type: "object",
  properties: {
    path: { type: "string", description: "The file or folder, relative to the root." },
    to: { type: "string", description: "Its new path, with its name. Folders that are missing are made." },
    overwrite: { type: "boolean", description: "Replace a file that is there already. Default false." },
  },
  required: ["path", "to"],
  additionalProperties: false,
} as const;

const OUTPUT = {
  type: "object",
  properties: {
    path: { type: "string" },
    to: { type: "string" },
    kind: { enum: ["file", "folder", "link"] },
    replaced: { type: "string" },
  },
  required: ["path", "to", "kind"],
} as const;

/** `move_file`: gives a file, folder or link another path in the roots. Replaces nothing unless it is asked to. */
export function moveFile(options: ChangingOptions): AnyTool {
  const settings = changingSettings("moveFile", options);
  const { roots, labels } = settings;
  return tool({
    name: "move_file",
    description: "Move or rename a file or folder. What is at the new path is replaced only with overwrite.",
    input: INPUT,
    output: OUTPUT,
    safety: { sideEffects: "write", idempotent: false, requires: ["filesystem"] },
    timeout: "60s",
    // The answer tells what is at both paths.
    labels: { ...labels, sinks: ["path", "to"] },
    locks: ({ path, to }) => [fileLock(roots, path, "write"), fileLock(roots, to, "write")],
    async execute({ path, to, overwrite = false }, context) {
      const { signal } = context;
      return withEntry(settings, path, { context }, async (from) => {
        const kind = kindAt(from);
        if (kind === undefined) return validation(`There is no ${shownPath(from.place.shown)}.`);
        return withEntry(settings, to, { make: true, context }, async (target) => {
          const [source, place] = [from.place, target.place];
          if (`${place.absolute}/`.startsWith(`${source.absolute}/`))
            return validation(`${shownPath(source.shown)} cannot be moved to itself or into itself.`);
          checkNewName(target.name);
          const keeps = { keep: settings.artifacts === undefined ? 0 : MAX_KEPT, signal };
          const moved = kind === "file" ? await lookAt(roots, from, keeps) : undefined;
          const there = overwrite ? kindAt(target) : undefined;
          const replaced = there === "file" ? await lookAt(roots, target, keeps) : undefined;
          await keep(settings, moved?.content);
          await keep(settings, replaced?.content);
          signal.throwIfAborted();
          await relocate(from, target, {
            kind,
            seen: moved,
            replaces: there === "link" ? there : replaced,
            done() {
              if (there === "link" || replaced !== undefined)
                context.effect({
                  type: "file",
                  path: place.shown,
                  op: "delete",
                  ...defined({ before: replaced?.sha256, bytesBefore: replaced?.bytes }),
                });
              context.effect({
                type: "file",
                path: source.shown,
                op: "move",
                to: place.shown,
                ...(moved !== undefined && hashes(moved)),
              });
            },
          });
          const value = {
            path: source.shown,
            to: place.shown,
            kind,
            ...defined({ replaced: replaced?.sha256 }),
          };
          return result({
            value,
            content: `Moved ${escapeLine(source.shown)} to ${escapeLine(place.shown)}.`,
          });
        });
      });
    },
  });
}

function hashes({ sha256, bytes }: Current) {
  return { ...defined({ before: sha256, after: sha256 }), bytesBefore: bytes, bytesAfter: bytes };
}
