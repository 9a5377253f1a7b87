import { type AnyTool, tool, validation } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import { openFile } from "../confine/opened.ts";
import { shownPath } from "../confine/path-text.ts";
import { OUTPUT_PARAMETER, oneLine, plainJson, plural, shaped } from "../files/output.ts";
import { fileLock, type ReadingOptions, readingSettings } from "../files/settings.ts";
import { inChild } from "./in-child.ts";
import type { SelectAnswer, SelectRequest } from "./select-child.ts";

const MAX_FILE = 100 * 1024 * 1024;
const MAX_CHARACTERS = 200_000;
const MAX_QUERY = 1_000;
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 10_000;

const INPUT = {
  type: "object",
  properties: {
    path: { type: "string", description: "The JSON file, relative to the root." },
    pointer: {
      type: "string",
      description: 'One value by JSON Pointer, such as "/users/0/name". Default: all of it.',
    },
    query: {
      type: "string",
      description: "Values by JSONPath (RFC 9535), such as $.users[?@.age > 30].name",
    },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: MAX_LIMIT,
      description: `How many values of a query at most. Default ${DEFAULT_LIMIT}.`,
    },
    output: OUTPUT_PARAMETER,
  },
  required: ["path"],
  additionalProperties: false,
} as const;

const OUTPUT = {
  type: "object",
  properties: {
    matches: {
      type: "array",
      items: {
        type: "object",
        properties: { pointer: { type: "string" }, value: {} },
        required: ["pointer", "value"],
      },
    },
    more: { type: "boolean", description: "There are more values than were asked for, or than fit." },
  },
  required: ["matches", "more"],
} as const;

/** `read_json`: parts of a JSON file, in a process of its own that a deadline ends. */
export function readJson(options: ReadingOptions): AnyTool {
  const { roots, labels, output: usual } = readingSettings("readJson", options);
  return tool({
    name: "read_json",
    description: "Read a part of a JSON file, by JSON Pointer or JSONPath.",
    input: INPUT,
    output: OUTPUT,
    safety: { sideEffects: "read", idempotent: true, requires: ["filesystem"] },
    timeout: "30s",
    concurrency: 4,
    labels,
    locks: ({ path }) => [fileLock(roots, path, "read")],
    async execute({ path, pointer, query, limit = DEFAULT_LIMIT, output = usual }, { signal }) {
      if (pointer !== undefined && query !== undefined)
        return validation("pointer and query cannot be given together.");
      if ((pointer ?? query ?? "").length > MAX_QUERY)
        return validation(`pointer and query have at most ${MAX_QUERY} characters.`);
      const file = await openFile(roots, path);
      try {
        const { size } = file.stat;
        if (size > MAX_FILE)
          return validation(`${shownPath(file.shown)} has ${size} bytes; at most ${MAX_FILE} are parsed.`);
        const request: SelectRequest = {
          ...defined({ pointer, query }),
          limit,
          characters: MAX_CHARACTERS,
        };
        const answer = await inChild<SelectAnswer>("select", [file], request, signal);
        return shaped(answer, { output, labeled: () => labeled(answer, query === undefined) });
      } finally {
        await file.handle.close();
      }
    },
  });
}

function labeled({ matches, more }: SelectAnswer, single: boolean): string {
  if (single) return plainJson(matches[0]?.value, 2);
  const head = more
    ? `The first ${plural(matches.length, "value")}; there are more`
    : plural(matches.length, "value");
  return [
    `${head}:`,
    ...matches.map(({ pointer, value }) => `${oneLine(pointer)}: ${plainJson(value)}`),
  ].join("\n");
}
