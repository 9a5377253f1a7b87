import type { RunDetail } from "@toolrig/server/wire";
import { useResource } from "../../api/use-resource.ts";
import { CallRow } from "../../components/call-row.tsx";
import { ProblemNote } from "../../components/problem.tsx";
import { oneLine } from "../../format/visible.ts";
import type { PageProps } from "../../location/route.tsx";

/** What one agent did. */
export function Run({ params }: PageProps) {
  const { data: run, error } = useResource<RunDetail>(`/runs/${encodeURIComponent(params.id ?? "")}`);
  return (
    <div class="page">
      {error !== undefined && <ProblemNote error={error} />}
      {run !== undefined && (
        <>
          <h1>{oneLine(run.line.task)}</h1>
          {run.turns.flatMap((turn) =>
            turn.calls.map(({ line }) => <CallRow key={line.executionId} line={line} />),
          )}
        </>
      )}
    </div>
  );
}
