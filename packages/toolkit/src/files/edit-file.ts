import { type AnyTool, result, tool, validation } from "@toolrig/core";
import { shownPath } from "../confine/path-text.ts";
import { applyEdits } from "./apply-edits.ts";
import { MAX_KEPT, WRITTEN, withEntry, write, writtenText } from "./change.ts";
import { lookAt } from "./current.ts";
import { decodeExactly, detect, encodeText } from "./encoding.ts";
import { plural } from "./output.ts";
import { type ChangingOptions, changingSettings, fileLock } from "./settings.ts";

const INPUT = {
  type: "object",
  properties: {
    path: { type: "string", description: "The file, relative to the root." },
    edits: {
      type: "array",
      minItems: 1,
      maxItems: 100,
      description: "Made in this order, each on what the one before left. All of them or none.",
      items: {
        type: "object",
        properties: {
          old: {
            type: "string",
            minLength: 1,
            description: "Text in the file, exactly as it is there. It must occur once.",
          },
          new: { type: "string", description: "What takes its place." },
          replaceAll: { type: "boolean", description: "Replace it wherever it occurs." },
        },
        required: ["old", "new"],
        additionalProperties: false,
      },
    },
    beforeHash: {
      type: "string",
      pattern: "^[0-9a-f]{64}$",
      description: "Edit only if the file's SHA-256, in hex, is this one.",
    },
  },
  required: ["path", "edits"],
  additionalProperties: false,
} as const;

/** `edit_file`: exact replacements in a text file, all of them or none. */
export function editFile(options: ChangingOptions): AnyTool {
  const settings = changingSettings("editFile", options);
  const { roots, labels } = settings;
  return tool({
    name: "edit_file",
    description:
      "Replace text in a file. The old text must be given exactly as it is in the file, and enough of it to occur once.",
    input: INPUT,
    output: WRITTEN,
    safety: { sideEffects: "write", idempotent: false, requires: ["filesystem"] },
    timeout: "30s",
    // What was not found is answered with lines of the file.
    labels: { ...labels, sinks: ["path"] },
    locks: ({ path }) => [fileLock(roots, path, "write")],
    async execute({ path, edits, beforeHash }, context) {
      return withEntry(settings, path, { follow: true, context }, async (entry) => {
        const seen = await lookAt(roots, entry, { keep: MAX_KEPT, atMost: MAX_KEPT, signal: context.signal });
        const shown = shownPath(entry.place.shown);
        if (seen === undefined) return validation(`There is no ${shown}.`);
        if (beforeHash !== undefined && seen.sha256 !== beforeHash)
          return validation(`${shown} was changed: its sha256 is ${seen.sha256}, not ${beforeHash}.`);
        if (seen.content === undefined)
          return validation(`${shown} has ${seen.bytes} bytes; at most ${MAX_KEPT} can be edited.`);
        const detected = detect(seen.content);
        if (detected === undefined) return validation(`${shown} is binary and cannot be edited as text.`);
        const { encoding, mark } = detected;
        const text = decodeExactly(seen.content.subarray(mark), encoding, shown);
        const edited = await applyEdits(text, edits, { shown, signal: context.signal });
        const content = Buffer.concat([seen.content.subarray(0, mark), encodeText(edited.text, encoding)]);
        const written = await write(settings, entry, content, seen, { context, isWhole: false });
        return result({
          value: written,
          content: `${writtenText(written)}\n${plural(edited.places, "place")} changed.`,
        });
      });
    },
  });
}
