import { defined } from "@toolrig/core/kit";
import type { Store, StoredRecord } from "@toolrig/store";
import type { FailureGroup } from "../wire.ts";
import { blameOf } from "./blame.ts";

const MAX_RECORDS = 2_000;
const PAGE = 250;
const STEPS = 24;

/** Failures that are alike, counted together: those of the latest that were recorded, most first. */
export async function failureGroups({ records }: Store, since: number | undefined): Promise<FailureGroup[]> {
  const failed: StoredRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = records.query({
      kind: "error",
      limit: PAGE,
      ...defined({ since, cursor }),
    });
    failed.push(...page.records);
    cursor = page.cursor;
    // Others are served in between.
    await new Promise((resolve) => setImmediate(resolve));
  } while (cursor !== undefined && failed.length < MAX_RECORDS);
  const times = failed.map(({ endTime }) => endTime);
  const first = times.reduce((least, at) => Math.min(least, at), Number.MAX_VALUE);
  const last = times.reduce((most, at) => Math.max(most, at), 0);
  const stepMs = Math.max(1, (last - first + 1) / STEPS);
  const groups = new Map<string, FailureGroup>();
  for (const record of failed)
    addTo(groups, record, (at) => Math.min(STEPS - 1, Math.floor((at - first) / stepMs)));
  return [...groups.values()].sort((a, b) => b.count - a.count || b.lastAt - a.lastAt);
}

function addTo(
  groups: Map<string, FailureGroup>,
  { name, executionId, endTime, result }: StoredRecord,
  stepOf: (at: number) => number,
): void {
  const { kind, code, message } = result.failure ?? {
    kind: "fatal",
    code: "TOOL_EXECUTION_FAILED",
    message: "",
  };
  const fingerprint = [kind, code, name, shapeOf(message)].join("|");
  let group = groups.get(fingerprint);
  if (group === undefined) {
    // Records come newest first, so this one is the latest.
    group = {
      kind,
      blame: blameOf(kind),
      fingerprint,
      code,
      tool: name,
      message: message.slice(0, 500),
      count: 0,
      firstAt: endTime,
      lastAt: endTime,
      example: executionId,
      trend: Array.from({ length: STEPS }, () => 0),
    };
    groups.set(fingerprint, group);
  }
  group.count += 1;
  group.firstAt = Math.min(group.firstAt, endTime);
  group.lastAt = Math.max(group.lastAt, endTime);
  const step = stepOf(endTime);
  group.trend[step] = (group.trend[step] ?? 0) + 1;
}

/** A message without what differs from one time to the next: numbers, ids, what is quoted, paths. */
function shapeOf(message: string): string {
  return message
    .slice(0, 300)
    .replaceAll(/"[^"]*"|'[^']*'|`[^`]*`/g, '"…"')
    .replaceAll(/\b[0-9a-f]{8,}\b/gi, "#")
    .replaceAll(/(?:\/[\w.@-]+){2,}/g, "/…")
    .replaceAll(/\d+(?:\.\d+)?/g, "#")
    .slice(0, 160);
}
