import { type AnyTool, tool, validation } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import { openFile } from "../confine/opened.ts";
import { shownPath } from "../confine/path-text.ts";
import {
  escapeLine,
  headOf,
  NEXT_PROPERTY,
  OUTPUT_PARAMETER,
  plainJson,
  plural,
  SKIP_PARAMETER,
  shaped,
} from "../files/output.ts";
import { contentState, markRead } from "../files/read-marks.ts";
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
    skip: SKIP_PARAMETER,
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
    next: NEXT_PROPERTY,
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
    async execute({ path, pointer, query, limit = DEFAULT_LIMIT, skip = 0, output = usual }, context) {
      if (pointer !== undefined && query !== undefined)
        return validation("pointer and query cannot be given together.");
      if ((pointer ?? query ?? "").length > MAX_QUERY)
        return validation(`pointer and query have at most ${MAX_QUERY} characters.`);
      const file = await openFile(roots, path);
      try {
        const { size } = file.stat;
        if (size > MAX_FILE)
          return validation(`${shownPath(file.shown)} has ${size} bytes; at most ${MAX_FILE} are parsed.`);
        markRead(context, file.real, contentState(file.stat));
        const request: SelectRequest = {
          ...defined({ pointer, query }),
          ...{ skip, limit },
          characters: MAX_CHARACTERS,
        };
        const answer = await inChild<SelectAnswer>("select", [file], request, context.signal);
        const first = (count: number): Values => {
          const more = answer.more || count < answer.matches.length;
          const matches = answer.matches.slice(0, count);
          return { matches, more, ...(more && { next: { skip: skip + count } }) };
        };
        return shaped(first(answer.matches.length), {
          output,
          items: { count: answer.matches.length, first },
          room: context,
          labeled: (value) => labeled(value, query === undefined, skip),
        });
      } finally {
        await file.handle.close();
      }
    },
  });
}

interface Values extends SelectAnswer {
  next?: { skip: number };
}

function labeled({ matches, next }: Values, single: boolean, skip: number): string {
  if (single) return plainJson(matches[0]?.value, 2);
  const head = headOf(plural(matches.length, "value"), skip, next);
  return [
    `${head}:`,
    ...matches.map(({ pointer, value }) => `${escapeLine(pointer)}: ${plainJson(value)}`),
  ].join("\n");
}
