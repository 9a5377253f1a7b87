import type { Page, RunLine } from "@toolrig/server/wire";
import { useEffect, useState } from "preact/hooks";
import { get } from "../../api/client.ts";
import { onFeed } from "../../api/feed.ts";
import { type Resource, useResource } from "../../api/use-resource.ts";

export interface RunsFilter {
  state: string;
  q: string;
}

/**
 * Runs, newest first, as the server has them and with what the feed brings: runs that are shown change in place, and new
 * ones are counted until they are asked for.
 */
export function useRunsList({ state, q }: RunsFilter) {
  const resource: Resource<Page<RunLine>> = useResource("/runs", { state, q });
  const [news, setNews] = useState<ReadonlyMap<string, RunLine>>(new Map());
  const [older, setOlder] = useState<Page<RunLine>>();
  useEffect(
    () =>
      onFeed({
        runs: (lines) =>
          setNews((before) => new Map([...before, ...lines.map((line) => [line.runId, line] as const)])),
        gap: resource.reload,
      }),
    [],
  );
  // What was read anew has it all.
  useEffect(() => {
    setNews(new Map());
    setOlder(undefined);
  }, [resource.data]);

  const read = [...(resource.data?.items ?? []), ...(older?.items ?? [])];
  const known = new Set(read.map((line) => line.runId));
  const cursor = older === undefined ? resource.data?.cursor : older.cursor;
  return {
    ...resource,
    runs: read.map((line) => newest(line, news.get(line.runId))),
    fresh: [...news.values()].filter((line) => !known.has(line.runId) && matches(line, state, q)).length,
    loadOlder:
      cursor === undefined
        ? undefined
        : async () => {
            const page = await get<Page<RunLine>>("/runs", { state, q, cursor });
            setOlder((before) => ({ ...page, items: [...(before?.items ?? []), ...page.items] }));
          },
  };
}

function newest(line: RunLine, other: RunLine | undefined): RunLine {
  return other !== undefined && other.revision >= line.revision ? other : line;
}

function matches(line: RunLine, state: string, q: string): boolean {
  return (
    (state === "" || state.split(",").includes(line.state)) &&
    line.task.toLowerCase().includes(q.toLowerCase())
  );
}
