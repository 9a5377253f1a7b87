import type { RunDetail } from "@toolrig/server/wire";
import { useEffect, useState } from "preact/hooks";
import { onFeed } from "../../api/feed.ts";
import { useResource } from "../../api/use-resource.ts";
import { Code, Json } from "../../components/code.tsx";
import { Commands, ShortId } from "../../components/copy.tsx";
import { Empty } from "../../components/empty.tsx";
import { Glyph } from "../../components/glyph.tsx";
import { ProblemNote } from "../../components/problem.tsx";
import { Ago } from "../../components/time.tsx";
import { plural } from "../../format/numbers.ts";
import { duration, now } from "../../format/time.ts";
import { oneLine, visible } from "../../format/visible.ts";
import { RUN_STATES, RUN_WORDS } from "../../format/words.ts";
import { runPage } from "../../location/addresses.ts";
import type { PageProps } from "../../location/route.tsx";
import { ForkDialog, RunActions, useRunActions } from "./actions.tsx";
import { Timeline } from "./timeline.tsx";
import { Transcript } from "./transcript.tsx";
import "./run.css";

/** A run is read again at most so often, however fast its calls come. */
const REREAD_MS = 500;

/** What one agent did: turns and calls on a time axis, and what was said beside them. */
export function Run({ params }: PageProps) {
  const id = params.id ?? "";
  const { data: run, error, stale, reload } = useResource<RunDetail>(`/runs/${encodeURIComponent(id)}`);
  const actions = useRunActions(id, reload);
  const [forkAfter, setForkAfter] = useState<number>();
  useEffect(() => followRun(id, reload), [id]);
  return (
    <div class="page run-page">
      {error !== undefined && <ProblemNote error={error} />}
      {error?.problem.status === 404 && (
        <Empty title="No such run here" command="npx toolrig runs">
          It may be in another store. <a href="/runs">All runs of this server</a>
        </Empty>
      )}
      {run !== undefined && (
        <div class={stale}>
          <RunHead run={run} />
          <RunActions run={run} actions={actions} />
          <WaitingFor run={run} />
          {run.outcome !== undefined && <Outcome outcome={run.outcome} />}
          <div class="run-body">
            <div>
              {run.turns.length > 0 ? (
                <Timeline run={run} onFork={run.line.kind === "loop" ? setForkAfter : undefined} />
              ) : (
                <p class="quiet">No turn is over yet.</p>
              )}
              <Children run={run} />
              <Commands commands={run.commands} />
            </div>
            <Transcript run={run} />
          </div>
        </div>
      )}
      {forkAfter !== undefined && (
        <ForkDialog turn={forkAfter} actions={actions} onClose={() => setForkAfter(undefined)} />
      )}
    </div>
  );
}

/** Reads the run again when it or one of its calls changed. */
function followRun(id: string, reload: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const later = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      reload();
    }, REREAD_MS);
  };
  const stop = onFeed({
    calls: (lines) => lines.some((line) => line.runId === id) && later(),
    runs: (lines) => lines.some((line) => line.runId === id) && later(),
    gap: later,
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}

function RunHead({ run: { line } }: { run: RunDetail }) {
  const end =
    line.endedAt ?? (line.state === "running" || line.state === "waiting" ? now.value : line.updatedAt);
  return (
    <header class="run-head">
      <h1 dir="auto" title={oneLine(line.task)}>
        {oneLine(line.task)}
      </h1>
      <p class="facts">
        <span class="run-state">
          <Glyph state={RUN_STATES[line.state]} label="" /> <strong>{RUN_WORDS[line.state]}</strong>
        </span>
        <span>{duration(end - line.startedAt)}</span>
        <span>{plural(line.turns, "turn")}</span>
        {line.calls !== undefined && <span>{plural(line.calls, "call")}</span>}
        {line.failures !== undefined && line.failures > 0 && <span>{line.failures} failed</span>}
        <span>
          began <Ago at={line.startedAt} />
        </span>
        {line.principal !== undefined && <bdi class="clip">{oneLine(line.principal)}</bdi>}
        {line.kind !== "loop" && <span>{line.kind}</span>}
        <ShortId id={line.runId} />
        <a href={`/?run=${encodeURIComponent(line.runId)}`}>its calls, live</a>
        {line.forkedFrom !== undefined && (
          <a href={runPage(line.forkedFrom.runId)}>forked after turn {line.forkedFrom.turn} of another</a>
        )}
      </p>
    </header>
  );
}

function WaitingFor({ run }: { run: RunDetail }) {
  if (run.waitingFor.length === 0) return null;
  return (
    <ul class="waiting-for">
      {run.waitingFor.map((item) => (
        <li key={item.id}>
          <Glyph state="waiting" />
          <span class="prose">
            {visible(item.sentence)}
            {item.expiresAt !== undefined && (
              <span class="quiet">
                {" "}
                Expires <Ago at={item.expiresAt} />.
              </span>
            )}
          </span>
          <a class="button" href="/inbox">
            Answer
          </a>
        </li>
      ))}
    </ul>
  );
}

function Outcome({ outcome }: { outcome: unknown }) {
  return (
    <div class="run-outcome">
      {typeof outcome === "string" ? (
        <Code text={outcome} label="Answer" />
      ) : (
        <Json value={outcome} label="Outcome" />
      )}
    </div>
  );
}

function Children({ run: { children } }: { run: RunDetail }) {
  if (children.length === 0) return null;
  return (
    <section class="run-children">
      <h2>Runs that came of it</h2>
      <ul>
        {children.map((line) => (
          <li key={line.runId}>
            <a class="clip" href={runPage(line.runId)}>
              <Glyph state={RUN_STATES[line.state]} /> {oneLine(line.task)}
            </a>
            <span class="quiet">
              {line.forkedFrom !== undefined && `forked after turn ${line.forkedFrom.turn}, `}
              <Ago at={line.startedAt} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
