import { lstat, readdir } from "node:fs/promises";
import { type AnyTool, tool } from "@toolrig/core";
import { type Folder, openFolder } from "../confine/folder.ts";
import { fileFailure } from "../confine/system-error.ts";
import { escapeLine, NEXT_PROPERTY, OUTPUT_PARAMETER, plural, SKIP_PARAMETER, shaped } from "./output.ts";
import { fileLock, type ReadingOptions, readingSettings } from "./settings.ts";

const MAX_ENTRIES = 5_000;
const DEFAULT_ENTRIES = 500;

interface Listed {
  name: string;
  type: "file" | "folder" | "link" | "other";
  /** Bytes of a file. */
  size?: number;
}

const INPUT = {
  type: "object",
  properties: {
    path: { type: "string", description: "The folder, relative to the root. Default: the root." },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: MAX_ENTRIES,
      description: `How many entries at most. Default ${DEFAULT_ENTRIES}.`,
    },
    skip: SKIP_PARAMETER,
    output: OUTPUT_PARAMETER,
  },
  additionalProperties: false,
} as const;

const OUTPUT = {
  type: "object",
  properties: {
    path: { type: "string" },
    entries: {
      type: "array",
      items: {
        type: "object",
        properties: {
          name: { type: "string" },
          type: { enum: ["file", "folder", "link", "other"] },
          size: { type: "integer" },
        },
        required: ["name", "type"],
      },
    },
    total: { type: "integer" },
    next: NEXT_PROPERTY,
  },
  required: ["path", "entries", "total"],
} as const;

/** `list_dir`: what is in one folder, by name. Links are named and not followed. */
export function listDir(options: ReadingOptions): AnyTool {
  const { roots, labels, output: usual } = readingSettings("listDir", options);
  return tool({
    name: "list_dir",
    description:
      "List what is in a folder: files with their size, folders, links. For files further down there is glob.",
    input: INPUT,
    output: OUTPUT,
    safety: { sideEffects: "read", idempotent: true, requires: ["filesystem"] },
    timeout: "30s",
    labels,
    locks: ({ path = "." }) => [fileLock(roots, path, "read")],
    async execute({ path = ".", limit = DEFAULT_ENTRIES, skip = 0, output = usual }, context) {
      const folder = await openFolder(roots, path);
      const shown = roots.shown(folder.real);
      try {
        const names = (await readdir(folder.at())).sort();
        const asked = names.slice(skip, skip + limit);
        const entries = await Promise.all(asked.map((name) => listed(folder, name)));
        const first = (count: number): Listing => ({
          path: shown,
          entries: entries.slice(0, count),
          total: names.length,
          ...(skip + count < names.length && { next: { skip: skip + count } }),
        });
        const items = { count: entries.length, first };
        return shaped(first(entries.length), {
          output,
          items,
          room: context,
          labeled: (value) => labeled(value, skip),
        });
      } catch (error) {
        throw fileFailure(error, shown);
      } finally {
        await folder.close();
      }
    },
  });
}

async function listed(folder: Folder, name: string): Promise<Listed> {
  const stat = await lstat(folder.at(name)).catch(() => undefined);
  if (stat?.isFile()) return { name, type: "file", size: stat.size };
  if (stat?.isDirectory()) return { name, type: "folder" };
  return { name, type: stat?.isSymbolicLink() ? "link" : "other" };
}

interface Listing {
  path: string;
  entries: Listed[];
  total: number;
  next?: { skip: number };
}

function labeled({ path, entries, total, next }: Listing, skip: number): string {
  const lines = entries.map(({ name, type, size }) => {
    const shown = escapeLine(name);
    if (type === "folder") return `${shown}/`;
    return type === "file" ? `${shown} (${plural(size ?? 0, "byte")})` : `${shown} (${type})`;
  });
  const rest = total - entries.length - skip;
  return [
    `${escapeLine(path)}: ${total === 1 ? "1 entry" : plural(total, "entry", "entries")}${skip > 0 ? `, of which ${skip} are passed by` : ""}`,
    ...lines,
    ...(next === undefined ? [] : [`… and ${rest} more; go on with ${JSON.stringify(next)}`]),
  ].join("\n");
}
