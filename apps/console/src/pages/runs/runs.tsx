import type { Page, RunLine } from "@toolrig/server/wire";
import { useResource } from "../../api/use-resource.ts";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { Glyph } from "../../components/glyph.tsx";
import { ProblemNote } from "../../components/problem.tsx";
import { Ago, Duration } from "../../components/time.tsx";
import { count } from "../../format/numbers.ts";
import { oneLine } from "../../format/visible.ts";
import { RUN_STATES, RUN_WORDS } from "../../format/words.ts";
import { runPage } from "../../location/addresses.ts";

const COLUMNS: readonly Column<RunLine>[] = [
  { label: "Task", fact: "title", cell: (run) => <bdi>{oneLine(run.task)}</bdi> },
  {
    label: "State",
    width: "120px",
    fact: true,
    cell: (run) => (
      <>
        <Glyph state={RUN_STATES[run.state]} /> {RUN_WORDS[run.state]}
      </>
    ),
  },
  { label: "Turns", width: "72px", align: "right", cell: (run) => count(run.turns) },
  { label: "Started", width: "100px", align: "right", fact: true, cell: (run) => <Ago at={run.startedAt} /> },
  {
    label: "Took",
    width: "100px",
    align: "right",
    fact: true,
    cell: (run) => <Duration ms={(run.endedAt ?? run.updatedAt) - run.startedAt} />,
  },
];

/** What the agents did: runs, newest first. */
export function Runs() {
  const { data, error, stale } = useResource<Page<RunLine>>("/runs");
  return (
    <div class="page">
      <div class="page-head">
        <h1>Runs</h1>
      </div>
      {error !== undefined && <ProblemNote error={error} />}
      {data?.items.length === 0 && (
        <Empty title="No runs yet" command={'npx toolrig run "Read README.md and say what this is"'} demo>
          A run is one task given to an agent.
        </Empty>
      )}
      {data !== undefined && data.items.length > 0 && (
        <DataTable
          columns={COLUMNS}
          rows={data.items}
          keyOf={(run) => run.runId}
          hrefOf={(run) => runPage(run.runId)}
          label="Runs"
          stale={stale}
        />
      )}
    </div>
  );
}
