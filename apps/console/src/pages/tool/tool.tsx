import type { ToolDetail } from "@toolrig/server/wire";
import { useResource } from "../../api/use-resource.ts";
import { Badge, SafetyBadge } from "../../components/badge.tsx";
import { BlameShare } from "../../components/blame-share.tsx";
import { Json } from "../../components/code.tsx";
import { Empty } from "../../components/empty.tsx";
import { ProblemNote } from "../../components/problem.tsx";
import { Sparkline } from "../../components/sparkline.tsx";
import { Ago } from "../../components/time.tsx";
import { TrendChart } from "../../components/trend-chart.tsx";
import { count, plural } from "../../format/numbers.ts";
import { duration } from "../../format/time.ts";
import { visible } from "../../format/visible.ts";
import { runPage } from "../../location/addresses.ts";
import type { PageProps } from "../../location/route.tsx";
import { Description } from "./description.tsx";
import "./tool.css";
import { TryIt } from "./try-it.tsx";

/** One tool: try it, beside what it is and how it fared. */
export function Tool({ params: { name = "" } }: PageProps) {
  const resource = useResource<ToolDetail>(`/tools/${encodeURIComponent(name)}`);
  const { data: tool, error, stale } = resource;
  if (error?.problem.status === 404)
    return (
      <div class="page">
        <Empty title={`There is no tool ${visible(name)}`} command="npx toolrig tools">
          It may have been removed, or its MCP server is away. <a href="/tools">All tools</a>
        </Empty>
      </div>
    );
  return (
    <div class={`page tool ${stale}`}>
      <header class="page-head">
        <h1>
          <a class="quiet" href="/tools">
            Tools
          </a>
          <span class="quiet" aria-hidden="true">
            {" / "}
          </span>
          <bdi>{visible(name)}</bdi>
        </h1>
        {tool !== undefined && <Marks tool={tool} />}
      </header>
      {error !== undefined && <ProblemNote error={error} />}
      {tool !== undefined && (
        <>
          <Description key={tool.description} tool={tool} onChanged={resource.reload} />
          <Facts tool={tool} />
          <div class="tool-columns">
            <TryIt key={tool.name} tool={tool} onEnd={resource.reload} />
            <aside class="tool-aside">
              <Speed stats={tool.stats} />
              <Users users={tool.users} />
              <Json value={tool.definition} label="Definition, as the model is told" />
            </aside>
          </div>
        </>
      )}
    </div>
  );
}

function Marks({ tool }: { tool: ToolDetail }) {
  return (
    <p class="tool-marks">
      <SafetyBadge safety={tool.safety} />
      {tool.version !== undefined && <Badge>{visible(tool.version)}</Badge>}
      {tool.provider !== undefined && <Badge title="Where it comes from">{visible(tool.provider)}</Badge>}
      {tool.timeoutMs !== undefined && (
        <Badge title="How long it may take">at most {duration(tool.timeoutMs)}</Badge>
      )}
      {!tool.available && (
        <Badge tone="accent">unavailable: {visible(tool.reason ?? "no reason was given")}</Badge>
      )}
    </p>
  );
}

function Facts({ tool: { stats } }: { tool: ToolDetail }) {
  if (stats.calls === 0) return <p class="quiet">It was not called yet.</p>;
  const { trend, p50Ms, p95Ms } = stats;
  const top = Math.max(0, ...trend.p95.map((each) => each ?? 0));
  return (
    <p class="facts">
      <span>
        <strong>{count(stats.calls)}</strong> {stats.calls === 1 ? "call" : "calls"}
      </span>
      <span>
        <Sparkline values={trend.calls} title="Calls over time" />
      </span>
      <span>
        failed <BlameShare {...stats} />
      </span>
      {p50Ms !== undefined && (
        <span>
          p50 <Sparkline values={trend.p50} top={top} label={duration(p50Ms)} title="Median time over time" />
        </span>
      )}
      {p95Ms !== undefined && (
        <span>
          p95{" "}
          <Sparkline
            values={trend.p95}
            top={top}
            label={duration(p95Ms)}
            title="Slowest twentieth over time"
          />
        </span>
      )}
    </p>
  );
}

/** Since when is it slow? Where there is more than one time to tell of. */
function Speed({ stats: { trend } }: { stats: ToolDetail["stats"] }) {
  if (trend.p50.filter((each) => each !== null).length < 2) return null;
  // To the minute, so that it is drawn anew only when it is another.
  const last = Math.floor(Date.now() / 60_000) * 60_000;
  const steps = trend.p50.length;
  const times = trend.p50.map((_, step) => last - (steps - 1 - step) * trend.stepMs);
  return (
    <section>
      <h3>How long it takes</h3>
      <TrendChart
        times={times}
        lines={[
          { label: "p50", values: trend.p50, colour: "--accent" },
          { label: "p95", values: trend.p95, colour: "--text-2" },
        ]}
        title="Median time and slowest twentieth over time"
      />
    </section>
  );
}

function Users({ users }: { users: ToolDetail["users"] }) {
  return (
    <section>
      <h3>Who used it</h3>
      {users.length === 0 && <p class="quiet">Nobody yet.</p>}
      <ul class="tool-users">
        {users.slice(0, 8).map(({ id, calls, lastAt }) => (
          <li key={id}>
            <bdi class="clip">
              {id.startsWith("run_") ? <a href={runPage(id)}>{visible(id)}</a> : visible(id)}
            </bdi>
            <span class="quiet number">{plural(calls, "call")}</span>
            <span class="quiet">
              <Ago at={lastAt} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
