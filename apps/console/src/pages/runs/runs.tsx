import type { RunLine } from "@toolrig/server/wire";
import { useRef } from "preact/hooks";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { DemoButton, Empty } from "../../components/empty.tsx";
import { Glyph } from "../../components/glyph.tsx";
import { ProblemNote } from "../../components/problem.tsx";
import { Ago, Duration } from "../../components/time.tsx";
import { count } from "../../format/numbers.ts";
import { now } from "../../format/time.ts";
import { oneLine } from "../../format/visible.ts";
import { RUN_STATES, RUN_WORDS } from "../../format/words.ts";
import { useKeys } from "../../keyboard/keys.ts";
import { runPage } from "../../location/addresses.ts";
import { param, setParams } from "../../location/location.ts";
import { type RunsFilter, useRunsList } from "./runs-list.ts";

const state = param("state");
const text = param("q");

const COLUMNS: readonly Column<RunLine>[] = [
  { label: "Task", fact: "title", cell: (run) => <bdi>{oneLine(run.task)}</bdi> },
  {
    label: "State",
    width: "112px",
    fact: true,
    cell: (run) => (
      <>
        <Glyph state={RUN_STATES[run.state]} label="" /> {RUN_WORDS[run.state]}
      </>
    ),
  },
  { label: "By", width: "144px", wide: true, cell: (run) => <bdi>{oneLine(run.principal ?? "")}</bdi> },
  { label: "Turns", width: "64px", wide: true, align: "right", cell: (run) => count(run.turns) },
  { label: "Took", width: "104px", align: "right", fact: true, cell: (run) => <Duration ms={took(run)} /> },
  { label: "Began", width: "88px", align: "right", fact: true, cell: (run) => <Ago at={run.startedAt} /> },
];

/** What the agents did: runs, newest first. */
export function Runs() {
  const filter: RunsFilter = { state: state.value, q: text.value };
  const { runs, data, error, stale, fresh, reload, loadOlder } = useRunsList(filter);
  const filtered = filter.state !== "" || filter.q !== "";
  return (
    <div class="page">
      <div class="page-head">
        <h1>Runs</h1>
        <RunsFilters filter={filter} />
        {fresh > 0 && (
          <button type="button" class="primary" onClick={reload}>
            {count(fresh)} new
          </button>
        )}
        <span class="spacer" />
        {runs.length > 0 && <DemoButton />}
      </div>
      {error !== undefined && error.problem.status !== 0 && <ProblemNote error={error} />}
      {data !== undefined && runs.length === 0 && <NoRuns filtered={filtered} />}
      {runs.length > 0 && (
        <DataTable
          columns={COLUMNS}
          rows={runs}
          keyOf={(run) => run.runId}
          hrefOf={(run) => runPage(run.runId)}
          label="Runs"
          stale={stale}
        />
      )}
      {loadOlder !== undefined && (
        <button type="button" class="plain" onClick={() => void loadOlder()}>
          Older runs
        </button>
      )}
    </div>
  );
}

function RunsFilters({ filter }: { filter: RunsFilter }) {
  const search = useRef<HTMLInputElement>(null);
  useKeys("Search", { "/": { label: "Search", run: () => search.current?.focus() } });
  return (
    <>
      <input
        ref={search}
        type="search"
        aria-label="Search runs"
        placeholder="Search tasks  /"
        value={filter.q}
        onInput={({ currentTarget }) => setParams({ q: currentTarget.value })}
        onKeyDown={(event) => event.key === "Escape" && search.current?.blur()}
      />
      <select
        aria-label="State"
        value={filter.state}
        onChange={({ currentTarget }) => setParams({ state: currentTarget.value })}
      >
        <option value="">All states</option>
        {Object.entries(RUN_WORDS).map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </>
  );
}

function NoRuns({ filtered }: { filtered: boolean }) {
  if (filtered)
    return (
      <Empty title="No run fits">
        <a href="/runs">Show all runs</a>
      </Empty>
    );
  return (
    <Empty
      title="No runs yet"
      command={`echo '["Hello."]' > hello.json && npx toolrig run "Say hello" --model script:hello.json`}
      demo
    >
      A run is one task given to an agent: its turns, its calls on a time axis, and what was said. This one
      needs no model, because the file says what it answers; <code>toolrig run --help</code> has how to name a
      real one.
    </Empty>
  );
}

function took(run: RunLine): number {
  if (run.endedAt !== undefined) return run.endedAt - run.startedAt;
  return (run.state === "running" || run.state === "waiting" ? now.value : run.updatedAt) - run.startedAt;
}
