import { defined } from "@toolrig/core/kit";
import type { RecordKind } from "@toolrig/store";
import { anyOf, callFilter } from "../views/call-filter.ts";
import { lineOfRecord } from "../views/call-line.ts";
import { lineOfWait } from "../views/wait-item.ts";
import type { CallLine, CallQuery, Page } from "../wire.ts";
import type { Context } from "./context.ts";

const PAGE = 250;
/** Records that one request looks at: a page may hold fewer than it could, and says where the next begins. */
const MAX_LOOKED_AT = 2_000;

/** Calls that are asked for, newest first; what is not over comes on the first page. */
export async function callsPage(context: Context, query: CallQuery): Promise<Page<CallLine>> {
  const { limit = 200, cursor } = query;
  const wanted = callFilter(query);
  const { lines, next } = await recorded(context, query, wanted, limit);
  const now = cursor === undefined ? (await underWay(context, limit)).filter(wanted) : [];
  for (const line of now)
    if (!lines.has(line.executionId) || line.state === "running") lines.set(line.executionId, line);
  const items = [...lines.values()].sort((a, b) => b.startedAt - a.startedAt);
  return { items, ...defined({ cursor: next }) };
}

async function recorded(
  { rig: { store }, redactor }: Context,
  query: CallQuery,
  wanted: (line: CallLine) => boolean,
  limit: number,
): Promise<{ lines: Map<string, CallLine>; next?: string }> {
  const lines = new Map<string, CallLine>();
  const kind = kindOf(query);
  if (store === undefined || kind === "none") return { lines };
  const tool = onlyOne(query.tool);
  let { cursor } = query;
  for (let looked = 0; looked < MAX_LOOKED_AT; looked += PAGE) {
    const page = store.records.query({
      limit: Math.min(PAGE, limit),
      ...defined({ tool, runId: query.run, kind, cursor }),
    });
    for (const record of page.records) {
      if (lines.has(record.executionId)) continue;
      const line = lineOfRecord(record, redactor);
      if (!wanted(line)) continue;
      lines.set(line.executionId, line);
      // The next page begins after this one.
      if (lines.size === limit) return { lines, next: `seq:${record.seq}` };
    }
    if (page.cursor === undefined) return { lines };
    cursor = page.cursor;
    // Others are served in between.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { lines, ...defined({ next: cursor }) };
}

function onlyOne(text: string | undefined): string | undefined {
  const all = anyOf(text);
  return all?.size === 1 ? [...all][0] : undefined;
}

/** What the store need only look at; "none" when nothing that is over is asked for. */
function kindOf({ state, blame }: CallQuery): RecordKind | "none" | undefined {
  const states = anyOf(state);
  if (
    states !== undefined &&
    ![...states].some((each) => each === "ok" || each === "failed" || each === "unknown")
  )
    return "none";
  const only = onlyOne(state);
  if (only === "ok") return "ok";
  if (only === "unknown") return "unknown";
  return only === "failed" || blame !== undefined ? "error" : undefined;
}

/** What is not over: in memory, and waiting in the store. */
async function underWay({ rig, live, redactor }: Context, limit: number): Promise<CallLine[]> {
  const lines = new Map<string, CallLine>();
  for (const wait of await rig.waits.list({ open: true, limit }))
    lines.set(wait.executionId, lineOfWait(wait, redactor));
  let left = limit;
  for (const call of live.calls.running()) {
    if (left-- <= 0) break;
    lines.set(call.start.executionId, call.line(redactor));
  }
  return [...lines.values()];
}
