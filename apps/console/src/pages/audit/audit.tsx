import type { Page, RecordPage } from "@toolrig/server/wire";
import { useEffect, useState } from "preact/hooks";
import { get } from "../../api/client.ts";
import { server } from "../../api/server.ts";
import { useResource } from "../../api/use-resource.ts";
import { BlameBadge } from "../../components/badge.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { Glyph } from "../../components/glyph.tsx";
import { ProblemNote } from "../../components/problem.tsx";
import { Ago, Duration } from "../../components/time.tsx";
import { count } from "../../format/numbers.ts";
import { oneLine } from "../../format/visible.ts";
import { callDrawer } from "../../location/addresses.ts";
import { blameOf } from "./blame-of.ts";
import { AuditFilters, recordQuery, useIsFiltered } from "./filters.tsx";
import { Verdict } from "./verdict.tsx";
import "./audit.css";

type Record = RecordPage["items"][number];

/** Can I prove it? Records with their place in the chain, and whether the chain holds. */
export function Audit() {
  const query = recordQuery.value;
  const { data, error, stale } = useResource<Page<Record>>("/records", { ...query, limit: 100 });
  const [older, setOlder] = useState<{ of: unknown; items: Record[]; cursor?: string }>();
  const isFiltered = useIsFiltered();
  const more = older?.of === data ? older : undefined;
  const records = [...(data?.items ?? []), ...(more?.items ?? [])];
  const cursor = more === undefined ? data?.cursor : more.cursor;
  useEffect(() => setOlder(undefined), [data]);
  const loadOlder = async () => {
    const page = await get<Page<Record>>("/records", { ...query, limit: 100, cursor }).catch(() => undefined);
    if (page === undefined) return;
    setOlder({
      of: data,
      items: [...(more?.items ?? []), ...page.items],
      ...(page.cursor !== undefined && { cursor: page.cursor }),
    });
  };
  if (server.value?.features.store === false)
    return (
      <div class="page audit">
        <h1>Audit</h1>
        <Empty title="Nothing is recorded" command="npx toolrig serve --store .toolrig/toolrig.db">
          This server has no store. With one, every call is recorded in a chain in which nothing can be
          changed unseen.
        </Empty>
      </div>
    );
  return (
    <div class="page audit">
      <header class="page-head">
        <h1>Audit</h1>
        <Verdict />
      </header>
      <AuditFilters />
      {error !== undefined && <ProblemNote error={error} />}
      {data !== undefined && records.length === 0 && <NoRecords isFiltered={isFiltered} />}
      {records.length > 0 && (
        <DataTable
          columns={COLUMNS}
          rows={records}
          keyOf={({ seq }) => String(seq)}
          hrefOf={({ executionId }) => callDrawer(executionId)}
          label="Records"
          stale={stale}
        />
      )}
      {cursor !== undefined && (
        <button type="button" class="plain" onClick={() => void loadOlder()}>
          Older records
        </button>
      )}
    </div>
  );
}

function NoRecords({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No record fits">
        <a href="/audit">Show all records</a>
      </Empty>
    );
  return (
    <Empty title="No records yet" command="npx toolrig tools" demo>
      Every call leaves a record here, whatever its outcome. <a href="/tools">Call a tool</a>, or list the
      names for <code>npx toolrig call</code>:
    </Empty>
  );
}

function gistOf(args: unknown): string {
  return oneLine((typeof args === "string" ? args : JSON.stringify(args)) ?? "").slice(0, 300);
}

const COLUMNS: readonly Column<Record>[] = [
  { label: "Tool", width: "15%", fact: "title", cell: ({ name }) => <bdi>{oneLine(name)}</bdi> },
  {
    label: "Arguments",
    cell: ({ args, rawArguments }) => <bdi class="mono quiet">{gistOf(args ?? rawArguments)}</bdi>,
  },
  {
    label: "Outcome",
    width: "232px",
    fact: true,
    cell: ({ result: { failure } }) =>
      failure === undefined ? (
        <>
          <Glyph state="ok" label="" /> <span class="quiet">done</span>
        </>
      ) : (
        <>
          <Glyph state={failure.kind === "unknown" ? "unknown" : "failed"} blame={blameOf(failure.kind)} />{" "}
          <BlameBadge blame={blameOf(failure.kind)} /> <code class="quiet">{failure.code}</code>
        </>
      ),
  },
  {
    label: "For",
    width: "11%",
    wide: true,
    cell: ({ principal }) => <bdi>{oneLine(principal?.id ?? "–")}</bdi>,
  },
  {
    label: "Took",
    width: "84px",
    align: "right",
    fact: true,
    cell: ({ durationMs }) => <Duration ms={durationMs} />,
  },
  { label: "Ended", width: "92px", align: "right", fact: true, cell: ({ endTime }) => <Ago at={endTime} /> },
  {
    label: "Record",
    width: "80px",
    align: "right",
    cell: ({ seq }) => <span class="number">{count(seq)}</span>,
  },
  {
    label: "Hash",
    width: "88px",
    wide: true,
    cell: ({ hash }) => <code class="quiet">{hash.slice(0, 8)}</code>,
  },
];
