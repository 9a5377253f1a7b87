import { RequestProblem } from "../http/problem.ts";
import type { Live } from "../live/live.ts";
import { anyOf } from "../views/call-filter.ts";
import type { Page, RunLine, RunQuery } from "../wire.ts";

const PAGE = 200;
/** Runs that one request looks at: a page may hold fewer than it could, and says where the next begins. */
const MAX_LOOKED_AT = 2_000;

/** Runs that are asked for, newest first. */
export async function runsPage(
  live: Live,
  { state, q, limit = 200, cursor }: RunQuery,
): Promise<Page<RunLine>> {
  let before = cursor === undefined ? undefined : Number(cursor);
  if (before !== undefined && !Number.isFinite(before))
    throw new RequestProblem("REQUEST_INVALID", "cursor must be one that an earlier page gave.");
  const states = anyOf(state);
  const words = q?.toLowerCase();
  const items: RunLine[] = [];
  for (let looked = 0; looked < MAX_LOOKED_AT; looked += PAGE) {
    const page = await live.runs(PAGE, before);
    for (const line of page) {
      before = line.startedAt;
      if (states !== undefined && !states.has(line.state)) continue;
      if (words !== undefined && !`${line.task}\n${line.runId}`.toLowerCase().includes(words)) continue;
      items.push(line);
      if (items.length === limit) return { items, cursor: String(before) };
    }
    if (page.length < PAGE) return { items };
  }
  return { items, ...(before !== undefined && { cursor: String(before) }) };
}
