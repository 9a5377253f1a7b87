import type { FleetState } from "@toolrig/server/wire";
import { useEvery } from "../../api/use-every.ts";
import { useResource } from "../../api/use-resource.ts";
import { Badge } from "../../components/badge.tsx";
import { Command, ShortId } from "../../components/copy.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { ProblemNote } from "../../components/problem.tsx";
import { Ago } from "../../components/time.tsx";
import { count, plural } from "../../format/numbers.ts";
import { now, roughly } from "../../format/time.ts";
import { oneLine, visible } from "../../format/visible.ts";
import { DeadLetters } from "./dead-letters.tsx";
import "./fleet.css";
import { Slots } from "./slots.tsx";

const REFRESH_MS = 2_000;
/** A worker that was not heard of for so long may be gone. */
const SILENT_MS = 15_000;

type Worker = FleetState["workers"][number];
type Queue = FleetState["queues"][number];

/** Is it keeping up? Workers with their slots, what waits for them, and what nobody could do. */
export function Fleet() {
  const { data, error, reload } = useResource<FleetState>("/fleet");
  useEvery(REFRESH_MS, reload);
  return (
    <div class="page fleet">
      <header class="page-head">
        <h1>Fleet</h1>
        {data !== undefined && <p class="quiet">{headline(data)}</p>}
      </header>
      {error !== undefined && <ProblemNote error={error} />}
      {data !== undefined && <Local local={data.local} />}
      {data?.connected === false && <NoFleet />}
      {data?.connected && (
        <>
          <Workers workers={data.workers} />
          <Queues queues={data.queues} />
          <DeadLetters letters={data.deadLetters} reload={reload} />
        </>
      )}
    </div>
  );
}

function headline({ connected, workers, queues, deadLetters }: FleetState): string {
  if (!connected) return "This process alone.";
  const depth = queues.reduce((sum, queue) => sum + queue.depth, 0);
  const waiting = depth === 0 ? "nothing waits" : `${plural(depth, "call")} wait`;
  const dead = deadLetters.length === 0 ? "" : `, ${plural(deadLetters.length, "dead letter")}`;
  return `${plural(workers.length, "worker")}, ${waiting}${dead}.`;
}

function Local({ local: { running, waiting, slots } }: { local: FleetState["local"] }) {
  return (
    <section class="fleet-local">
      <h2>This process</h2>
      <p class="facts">
        <span>
          <strong class="number">{count(running)}</strong> running
        </span>
        <span>
          <strong class="number">{count(waiting)}</strong> waiting
        </span>
        {slots !== undefined && <Slots running={running} slots={slots} />}
      </p>
    </section>
  );
}

function NoFleet() {
  return (
    <section class="fleet-none">
      <h2>There is no fleet</h2>
      <p class="prose quiet">
        Calls run in this process. To run them on many machines, start a NATS server with JetStream, workers
        that have your tools, and this server beside it:
      </p>
      <Command command="nats-server --jetstream" label="1" />
      <Command command="npx toolrig worker --nats nats://127.0.0.1:4222" label="2" />
      <Command command="npx toolrig serve --nats nats://127.0.0.1:4222" label="3" />
    </section>
  );
}

function Workers({ workers }: { workers: readonly Worker[] }) {
  return (
    <section>
      <h2>Workers</h2>
      {workers.length === 0 ? (
        <>
          <p class="quiet">No worker is there: what is called waits, and is told so.</p>
          <Command command="npx toolrig worker --nats nats://127.0.0.1:4222" />
        </>
      ) : (
        <DataTable columns={WORKER_COLUMNS} rows={workers} keyOf={({ id }) => id} label="Workers" />
      )}
    </section>
  );
}

/** Ids that are made end alike in all processes; those that people gave are shown as they are. */
function shortOf(id: string): string {
  return /^worker_([0-9a-f]{8})/.exec(id)?.[1] ?? id;
}

const WORKER_COLUMNS: readonly Column<Worker>[] = [
  {
    label: "Worker",
    width: "220px",
    fact: "title",
    cell: (worker) => (
      <>
        <ShortId id={worker.id} shown={shortOf(worker.id)} />
        {worker.draining && <Badge>draining</Badge>}
        {now.value - worker.seenAt > SILENT_MS && (
          <Badge tone="loud">silent for {roughly(now.value - worker.seenAt)}</Badge>
        )}
      </>
    ),
  },
  { label: "Slots", fact: true, cell: ({ running, slots }) => <Slots running={running} slots={slots} /> },
  { label: "Ran", width: "84px", align: "right", fact: true, cell: ({ ran }) => count(ran) },
  { label: "Failed", width: "84px", align: "right", cell: ({ failed }) => count(failed) },
  {
    label: "Tools",
    width: "28%",
    cell: ({ tools }) => (
      <span title={tools.map(({ name, version = "" }) => oneLine(`${name} ${version}`)).join("\n")}>
        {tools.map(({ name }) => oneLine(name)).join(", ")}
      </span>
    ),
  },
  {
    label: "Up",
    width: "92px",
    align: "right",
    cell: ({ startedAt }) => roughly(Math.max(0, now.value - startedAt)),
  },
  { label: "Seen", width: "92px", align: "right", fact: true, cell: ({ seenAt }) => <Ago at={seenAt} /> },
];

function Queues({ queues }: { queues: readonly Queue[] }) {
  const deepest = Math.max(1, ...queues.map(({ depth }) => depth));
  return (
    <section>
      <h2>Queues</h2>
      {queues.length === 0 && <p class="quiet">Nothing waits for a worker.</p>}
      <ul class="queues">
        {queues.map(({ tool, depth, running = 0, oldestAt }) => (
          <li key={tool}>
            <bdi class="clip">{visible(tool)}</bdi>
            <meter aria-label={`Depth of ${visible(tool)}`} min={0} max={deepest} value={depth} />
            <span class="number">{count(depth)}</span>
            <span class="quiet">
              {oldestAt !== undefined && `oldest waits for ${roughly(Math.max(0, now.value - oldestAt))}`}
              {oldestAt === undefined && running > 0 && `${count(running)} under way`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
