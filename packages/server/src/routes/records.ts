import { defined } from "@toolrig/core/kit";
import type { RecordKind, RecordQuery, Store } from "@toolrig/store";
import { RequestProblem } from "../http/problem.ts";
import { json, reply } from "../http/reply.ts";
import { type Route, route } from "../http/route.ts";
import { FAILURE_KINDS } from "../schemas/calls.ts";
import { list, oneOf, ref, shape, text, textUpTo } from "../schemas/shape.ts";
import { failureGroups } from "../views/failure-groups.ts";
import type { RecordPage } from "../wire.ts";
import type { Context } from "./context.ts";
import { verifyApart } from "./verify-apart.ts";

interface Filter {
  tool?: string;
  kind?: RecordKind;
  run?: string;
  execution?: string;
  since?: number;
  until?: number;
  text?: string;
  path?: string;
}

const FILTER = {
  tool: textUpTo(200),
  kind: oneOf("ok", "error", ...(FAILURE_KINDS.enum as string[])),
  run: textUpTo(200),
  execution: textUpTo(200),
  since: { type: "number", description: "Ended at or after, in epoch milliseconds" },
  until: { type: "number", description: "Ended before, in epoch milliseconds" },
  text: textUpTo(500, "Words in the arguments, the content or the failure"),
  path: textUpTo(1_000, "A file that was changed, or a folder in which one was"),
};

export function recordRoutes(context: Context): Route[] {
  const store = (): Store => {
    if (context.rig.store !== undefined) return context.rig.store;
    throw new RequestProblem(
      "NOT_CONFIGURED",
      'Records are kept in a store: set store: "toolrig.db" in the config.',
    );
  };
  return [
    route<{ query: Filter & { limit?: number; cursor?: string; order?: "newest" | "oldest" } }>({
      method: "GET",
      path: "/records",
      id: "listRecords",
      tag: "records",
      summary: "Recorded calls, newest first",
      needs: "read",
      query: {
        ...FILTER,
        limit: { type: "integer", minimum: 1, maximum: 1_000 },
        cursor: textUpTo(100),
        order: oneOf("newest", "oldest"),
      },
      answers: {
        200: {
          description: "A page",
          schema: shape<RecordPage>({ items: list(ref("StoredRecord")), cursor: { maybe: text } }),
        },
      },
      handle({ query }) {
        const { limit, cursor, order } = query;
        const page = store().records.query({
          ...filterOf(query),
          ...defined({ limit, cursor, order }),
        });
        return json({ items: page.records, ...defined({ cursor: page.cursor }) });
      },
    }),
    route<{ query: Filter & { format?: "ndjson" | "csv" } }>({
      method: "GET",
      path: "/records/export",
      id: "exportRecords",
      tag: "records",
      summary: "All that match, oldest first, as they are read",
      needs: "read",
      query: { ...FILTER, format: { ...oneOf("ndjson", "csv"), description: 'Default "ndjson"' } },
      answers: {
        200: {
          description: "A line each",
          type: "application/x-ndjson",
          otherTypes: ["text/csv"],
          schema: { type: "string" },
        },
      },
      handle({ query, signal }) {
        const { format = "ndjson" } = query;
        const lines = store().records.export(format, filterOf(query));
        const type = format === "ndjson" ? "application/x-ndjson" : "text/csv; charset=utf-8";
        return reply(streamOf(lines, signal), {
          headers: {
            "content-type": type,
            "content-disposition": `attachment; filename="records.${format}"`,
          },
        });
      },
    }),
    route({
      method: "GET",
      path: "/records/verify",
      id: "verifyRecords",
      tag: "records",
      summary: "Whether the chain of records is whole",
      description:
        "Reads all records, beside the server's work. One at a time; whoever asks meanwhile gets the same answer.",
      needs: "read",
      answers: { 200: { description: "The verdict", schema: ref("AuditVerdict") } },
      handle: async () => json(await verifyApart(store())),
    }),
    route<{ query: { since?: number } }>({
      method: "GET",
      path: "/failures",
      id: "listFailures",
      tag: "records",
      summary: "Failures, those alike together, most first",
      description: "Of the latest 2,000 that were recorded.",
      needs: "read",
      query: { since: FILTER.since },
      answers: {
        200: {
          description: "Groups",
          schema: { type: "object", properties: { items: list(ref("FailureGroup")) }, required: ["items"] },
        },
      },
      handle: async ({ query }) => json({ items: await failureGroups(store(), query.since) }),
    }),
  ];
}

function filterOf({ tool, kind, run, execution, since, until, text: words, path }: Filter): RecordQuery {
  return {
    ...defined({ tool, kind, runId: run, executionId: execution, since, until, text: words, path }),
  };
}

const PIECE = 64 * 1024;

/** Read as the client takes it: a page of the store at a time, and others are served in between. */
function streamOf(lines: Iterable<string>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = lines[Symbol.iterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await new Promise((resolve) => setImmediate(resolve));
        let piece = "";
        while (piece.length < PIECE) {
          const next = signal.aborted ? { done: true as const } : iterator.next();
          if (next.done === true) {
            if (piece !== "") controller.enqueue(encoder.encode(piece));
            return controller.close();
          }
          piece += next.value;
        }
        controller.enqueue(encoder.encode(piece));
      },
      cancel() {
        iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
