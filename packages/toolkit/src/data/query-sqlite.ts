import { type AnyTool, tool, validation } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import {
  escapeLine,
  headOf,
  NEXT_PROPERTY,
  OUTPUT_PARAMETER,
  plural,
  SKIP_PARAMETER,
  shaped,
} from "../files/output.ts";
import { fileLock, type ReadingOptions, readingSettings } from "../files/settings.ts";
import { withDatabase } from "./database.ts";
import { inChild } from "./in-child.ts";
import type { QueryAnswer, QueryRequest } from "./query-child.ts";
import { problemIn } from "./sql-statement.ts";

const DEFAULT_ROWS = 100;
const MAX_ROWS = 10_000;
const MAX_CHARACTERS = 1_000_000;
const MAX_SQL = 100_000;

const SCALAR = { type: ["string", "number", "boolean", "null"] } as const;

const INPUT = {
  type: "object",
  properties: {
    path: { type: "string", description: "The database file, relative to the root." },
    sql: {
      type: "string",
      description: "One statement that reads: SELECT, WITH, VALUES or EXPLAIN. sqlite_schema has the tables.",
    },
    parameters: {
      description: "Values for ? in order, or for :name by name.",
      anyOf: [
        { type: "array", items: SCALAR, maxItems: 1_000 },
        { type: "object", additionalProperties: SCALAR },
      ],
    },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: MAX_ROWS,
      description: `How many rows at most. Default ${DEFAULT_ROWS}.`,
    },
    skip: SKIP_PARAMETER,
    output: OUTPUT_PARAMETER,
  },
  required: ["path", "sql"],
  additionalProperties: false,
} as const;

const OUTPUT = {
  type: "object",
  properties: {
    columns: { type: "array", items: { type: "string" } },
    rows: { type: "array", items: { type: "array", items: { type: ["string", "number", "null"] } } },
    more: { type: "boolean", description: "There are more rows than were asked for, or than fit." },
    next: NEXT_PROPERTY,
  },
  required: ["columns", "rows", "more"],
} as const;

/** `query_sqlite`: one reading statement on a database file, in a process of its own that a deadline ends. */
export function querySqlite(options: ReadingOptions): AnyTool {
  const { roots, labels, output: usual } = readingSettings("querySqlite", options);
  return tool({
    name: "query_sqlite",
    description: "Ask a SQLite database by SQL. Only reading is possible.",
    input: INPUT,
    output: OUTPUT,
    safety: { sideEffects: "read", idempotent: true, requires: ["filesystem"] },
    timeout: "30s",
    concurrency: 4,
    labels,
    locks: ({ path }) => [fileLock(roots, path, "read")],
    async execute({ path, sql, parameters = [], limit = DEFAULT_ROWS, skip = 0, output = usual }, context) {
      const problem =
        sql.length > MAX_SQL ? `The statement is longer than ${MAX_SQL} characters.` : problemIn(sql);
      if (problem !== undefined) return validation(problem);
      return withDatabase(roots, path, async ({ file, log }) => {
        const request = {
          path: file.real,
          ...defined({ copyTo: log?.copyTo }),
          ...{ sql, parameters, skip, rows: limit, characters: MAX_CHARACTERS },
        } as QueryRequest;
        const files = log === undefined ? [file] : [file, log.file];
        const answer = await inChild<QueryAnswer>("query", files, request, context.signal);
        const first = (count: number): Rows => {
          const more = answer.more || count < answer.rows.length;
          const rows = answer.rows.slice(0, count);
          return { ...answer, rows, more, ...(more && { next: { skip: skip + count } }) };
        };
        return shaped(first(answer.rows.length), {
          output,
          items: { count: answer.rows.length, first },
          room: context,
          labeled: (value) => labeled(value, skip),
        });
      });
    },
  });
}

interface Rows extends QueryAnswer {
  next?: { skip: number };
}

function labeled({ columns, rows, next }: Rows, skip: number): string {
  const head = headOf(plural(rows.length, "row"), skip, next);
  const lines = [columns, ...rows].map((cells) =>
    cells.map((cell) => escapeLine(String(cell ?? "NULL"))).join(" | "),
  );
  return [`${head}:`, ...lines].join("\n");
}
