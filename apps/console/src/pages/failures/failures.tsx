import type { Blame, FailureGroup, Page } from "@toolrig/server/wire";
import { useEvery } from "../../api/use-every.ts";
import { useResource } from "../../api/use-resource.ts";
import { BlameBadge } from "../../components/badge.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { Glyph } from "../../components/glyph.tsx";
import { ProblemNote } from "../../components/problem.tsx";
import { Sparkline } from "../../components/sparkline.tsx";
import { Ago } from "../../components/time.tsx";
import { count, plural } from "../../format/numbers.ts";
import { oneLine } from "../../format/visible.ts";
import { BLAME_WORDS, BLAMES } from "../../format/words.ts";
import { callDrawer } from "../../location/addresses.ts";
import { param, setParams } from "../../location/location.ts";
import "./failures.css";

const REFRESH_MS = 5_000;
const SPANS = { "1h": "last hour", "24h": "last day", "7d": "last week", all: "all" } as const;
const SPAN_MS: Record<string, number> = { "1h": 3_600_000, "24h": 86_400_000, "7d": 604_800_000 };
const span = param("since");
const only = param("blame");

const KIND_WORDS: Record<FailureGroup["kind"], string> = {
  unknown: "Nobody knows whether it happened: verify before trying again",
  fatal: "The tool failed",
  timeout: "Given up at the deadline",
  transient: "The world failed, and may not next time",
  unavailable: "The tool could not run",
  denied: "A rule or a person said no",
  validation: "The arguments were wrong",
  not_found: "There is no such tool",
  budget: "A limit on calls was reached",
  cancelled: "The caller stopped it",
};

/** What is broken? Failures by kind, the loudest first, then by fingerprint. */
export function Failures() {
  const query = { since: sinceOf(span.value) };
  const resource = useResource<Page<FailureGroup>>("/failures", query);
  useEvery(REFRESH_MS, resource.reload);
  const groups = resource.data?.items;
  const shown = groups?.filter(({ blame }) => only.value === "" || only.value.split(",").includes(blame));
  return (
    <div class="page failures">
      <header class="page-head">
        <h1>Failures</h1>
        {groups !== undefined && groups.length > 0 && <ByBlame groups={groups} />}
        <span class="spacer" />
        <select
          aria-label="Since when"
          value={span.value === "" ? "24h" : span.value}
          onChange={({ currentTarget }) =>
            setParams({ since: currentTarget.value === "24h" ? "" : currentTarget.value })
          }
        >
          {Object.entries(SPANS).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </header>
      {resource.error !== undefined && <ProblemNote error={resource.error} />}
      {groups?.length === 0 && (
        <Empty title="Nothing has failed" command="npx toolrig call no_such_tool" demo>
          Failures of the {SPANS[(span.value || "24h") as keyof typeof SPANS] ?? "time chosen"} would be here,
          grouped by what went wrong and whose fault it was.
        </Empty>
      )}
      {shown !== undefined &&
        kindsOf(shown).map(([kind, members]) => (
          <Kind key={kind} kind={kind} groups={members} stale={resource.stale} />
        ))}
    </div>
  );
}

/** How many by whose fault; a click shows only those. */
function ByBlame({ groups }: { groups: readonly FailureGroup[] }) {
  return (
    <fieldset class="toggles" aria-label="Whose fault">
      {BLAMES.flatMap((blame) => {
        const number = sum(groups.filter((group) => group.blame === blame));
        if (number === 0) return [];
        const chosen = only.value === blame;
        return [
          <button
            key={blame}
            type="button"
            class="toggle"
            aria-pressed={chosen}
            title={BLAME_WORDS[blame]}
            onClick={() => setParams({ blame: chosen ? "" : blame })}
          >
            <BlameBadge blame={blame} /> <strong class="number">{count(number)}</strong>
          </button>,
        ];
      })}
    </fieldset>
  );
}

function Kind({
  kind,
  groups,
  stale,
}: {
  kind: FailureGroup["kind"];
  groups: readonly FailureGroup[];
  stale: string;
}) {
  const blame = groups[0]?.blame as Blame;
  return (
    <section class={`failure-kind failure-${kind}`}>
      <h2>
        <Glyph state={kind === "unknown" ? "unknown" : "failed"} blame={blame} /> {KIND_WORDS[kind] ?? kind}
        <code class="quiet">{kind}</code>
        <span class="quiet number">{plural(sum(groups), "time")}</span>
      </h2>
      <DataTable
        columns={COLUMNS}
        rows={groups}
        keyOf={({ fingerprint }) => fingerprint}
        hrefOf={({ example }) => callDrawer(example)}
        label={KIND_WORDS[kind] ?? kind}
        stale={stale}
      />
    </section>
  );
}

const COLUMNS: readonly Column<FailureGroup>[] = [
  {
    label: "What went wrong",
    fact: "title",
    cell: ({ message }) => <bdi title={oneLine(message)}>{oneLine(message)}</bdi>,
  },
  { label: "Tool", width: "14%", fact: true, cell: ({ tool }) => <bdi>{oneLine(tool)}</bdi> },
  { label: "Fault", width: "84px", cell: ({ blame }) => <BlameBadge blame={blame} /> },
  { label: "Code", width: "212px", wide: true, cell: ({ code }) => <code class="quiet">{code}</code> },
  {
    label: "Count",
    width: "132px",
    fact: true,
    cell: ({ count: number, trend, blame }) => (
      <Sparkline values={trend} label={count(number)} title={plural(number, "time")} tone={blame} />
    ),
  },
  { label: "First", width: "96px", wide: true, align: "right", cell: ({ firstAt }) => <Ago at={firstAt} /> },
  { label: "Last", width: "96px", align: "right", fact: true, cell: ({ lastAt }) => <Ago at={lastAt} /> },
];

/** Groups by kind. Outcomes that nobody knows come first; then the kinds with most failures. */
function kindsOf(groups: readonly FailureGroup[]): [FailureGroup["kind"], FailureGroup[]][] {
  const kinds = Map.groupBy(groups, ({ kind }) => kind);
  const weight = (kind: string, members: readonly FailureGroup[]) =>
    kind === "unknown" ? Number.POSITIVE_INFINITY : sum(members);
  return [...kinds].sort(([one, some], [other, others]) => weight(other, others) - weight(one, some));
}

function sum(groups: readonly FailureGroup[]): number {
  return groups.reduce((total, group) => total + group.count, 0);
}

/** To the minute, so that the question stays the same while the page is looked at. */
function sinceOf(chosen: string): number | undefined {
  const ms = SPAN_MS[chosen === "" ? "24h" : chosen];
  return ms === undefined ? undefined : Math.floor((Date.now() - ms) / 60_000) * 60_000;
}
