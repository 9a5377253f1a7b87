import type { Page, ToolLine } from "@toolrig/server/wire";
import { useRef } from "preact/hooks";
import { useEvery } from "../../api/use-every.ts";
import { useResource } from "../../api/use-resource.ts";
import { Badge, SafetyBadge } from "../../components/badge.tsx";
import { BlameShare } from "../../components/blame-share.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { ProblemNote } from "../../components/problem.tsx";
import { Sparkline } from "../../components/sparkline.tsx";
import { Ago } from "../../components/time.tsx";
import { count, plural } from "../../format/numbers.ts";
import { duration } from "../../format/time.ts";
import { oneLine } from "../../format/visible.ts";
import { useKeys } from "../../keyboard/keys.ts";
import { toolPage } from "../../location/addresses.ts";
import { param, setParams } from "../../location/location.ts";

const REFRESH_MS = 5_000;
const search = param("q");

/** What can the agent do, and how well? */
export function Tools() {
  const resource = useResource<Page<ToolLine>>("/tools");
  useEvery(REFRESH_MS, resource.reload);
  const field = useRef<HTMLInputElement>(null);
  useKeys("Search", { "/": { label: "Search", run: () => field.current?.focus() } });
  const tools = resource.data?.items;
  const fitting = tools?.filter((tool) => fits(tool, search.value));
  return (
    <div class="page tools">
      <header class="page-head">
        <h1>Tools</h1>
        {tools !== undefined && <p class="quiet">{headline(tools)}</p>}
        <span class="spacer" />
        <input
          ref={field}
          type="search"
          aria-label="Search tools"
          placeholder="Search tools  /"
          value={search.value}
          onInput={({ currentTarget }) => setParams({ q: currentTarget.value })}
          onKeyDown={(event) => event.key === "Escape" && field.current?.blur()}
        />
      </header>
      {resource.error !== undefined && <ProblemNote error={resource.error} />}
      {tools?.length === 0 && (
        <Empty title="There are no tools" command="npx toolrig init">
          Tools are named in <code>toolrig.config.ts</code>: your own, those of the toolkit and those of MCP
          servers. This writes one with a tool to begin with.
        </Empty>
      )}
      {tools !== undefined && tools.length > 0 && fitting?.length === 0 && (
        <Empty title="No tool fits">
          <a href="/tools">Show all {count(tools.length)}</a>
        </Empty>
      )}
      {fitting !== undefined && fitting.length > 0 && (
        <DataTable
          columns={COLUMNS}
          rows={fitting}
          keyOf={({ name, version = "" }) => `${name}@${version}`}
          hrefOf={({ name }) => toolPage(name)}
          label="Tools"
          stale={resource.stale}
        />
      )}
    </div>
  );
}

const COLUMNS: readonly Column<ToolLine>[] = [
  {
    label: "Name",
    fact: "title",
    cell: (tool) => (
      <>
        <bdi class="tool-name">{oneLine(tool.name)}</bdi>
        {tool.version !== undefined && <span class="quiet"> {oneLine(tool.version)}</span>}
        <bdi class="quiet"> {oneLine(tool.description)}</bdi>
      </>
    ),
  },
  {
    label: "Safety",
    width: "124px",
    fact: true,
    cell: (tool) =>
      tool.available ? (
        <SafetyBadge safety={tool.safety} />
      ) : (
        <Badge tone="accent" title={oneLine(tool.reason ?? "")}>
          unavailable
        </Badge>
      ),
  },
  { label: "Calls", width: "60px", align: "right", cell: ({ stats }) => count(stats.calls) },
  { label: "Failed", width: "136px", fact: true, cell: ({ stats }) => <BlameShare {...stats} /> },
  { label: "p50", width: "164px", wide: true, cell: (tool) => <Latency tool={tool} which="p50" /> },
  { label: "p95", width: "164px", cell: (tool) => <Latency tool={tool} which="p95" /> },
  {
    label: "Last used",
    width: "92px",
    align: "right",
    fact: true,
    cell: ({ stats }) =>
      stats.lastUsedAt === undefined ? <span class="quiet">never</span> : <Ago at={stats.lastUsedAt} />,
  },
];

/** Both lines of a tool have one scale, so that they can be compared. */
function Latency({ tool: { name, stats }, which }: { tool: ToolLine; which: "p50" | "p95" }) {
  const value = which === "p50" ? stats.p50Ms : stats.p95Ms;
  if (value === undefined) return <span class="quiet">–</span>;
  const top = Math.max(0, ...stats.trend.p95.map((each) => each ?? 0));
  const title = `${which} of ${oneLine(name)}: ${duration(value)}`;
  return <Sparkline values={stats.trend[which]} top={top} label={duration(value)} title={title} />;
}

function headline(tools: readonly ToolLine[]): string {
  const unavailable = tools.filter(({ available }) => !available).length;
  return unavailable === 0
    ? plural(tools.length, "tool")
    : `${plural(tools.length, "tool")}, ${count(unavailable)} not available`;
}

function fits({ name, description, provider = "", title = "" }: ToolLine, text: string): boolean {
  const all = `${name} ${title} ${provider} ${description}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
