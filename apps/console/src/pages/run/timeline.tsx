import type { RunCall, RunDetail } from "@toolrig/server/wire";
import { useEffect, useRef } from "preact/hooks";
import { Glyph } from "../../components/glyph.tsx";
import { duration, now } from "../../format/time.ts";
import { oneLine } from "../../format/visible.ts";
import { callDuration, callWords, STATE_WORDS } from "../../format/words.ts";
import { callDrawer } from "../../location/addresses.ts";
import { pointedAt, useLinked } from "./linked.ts";
import { type TimeAxis, timeAxis } from "./time-axis.ts";

const percent = (part: number) => `${(part * 100).toFixed(3)}%`;

/** Turns as rows, their calls as bars on one time axis; waits are hatched, retries joined by a line. */
export function Timeline({ run, onFork }: { run: RunDetail; onFork: ((turn: number) => void) | undefined }) {
  const axis = timeAxis(run, now.value);
  return (
    <section class="timeline" aria-label="Timeline">
      <div class="timeline-axis" aria-hidden="true">
        <span />
        <div class="track">
          {axis.ticks.map(({ place, label }) => (
            <span key={label} class="tick" style={{ left: percent(place) }}>
              {label}
            </span>
          ))}
        </div>
      </div>
      <ol>
        {run.turns.map((turn) => (
          <li key={turn.turn} class="turn">
            <div class="turn-head">
              <h2>Turn {turn.turn}</h2>
              <div class="track">
                <Squeezed axis={axis} />
                <i class="turn-span" style={between(axis, turn.startedAt, turn.endedAt ?? now.value)} />
              </div>
              {onFork !== undefined && (
                <button type="button" class="plain fork" onClick={() => onFork(turn.turn)}>
                  Fork
                </button>
              )}
            </div>
            <ul>
              {turn.calls.map((call) => (
                <Bar key={call.line.executionId} call={call} axis={axis} />
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Bar({ call: { line, segments }, axis }: { call: RunCall; axis: TimeAxis }) {
  const row = useRef<HTMLAnchorElement>(null);
  const { open, pointed } = useLinked(line.executionId);
  useEffect(() => {
    if (open) row.current?.scrollIntoView({ block: "nearest" });
  }, [open]);
  const words = callWords(line);
  const first = segments[0]?.startAt ?? line.startedAt;
  const last = segments.at(-1)?.endAt ?? line.endedAt ?? now.value;
  const title = `${oneLine(line.name)}: ${STATE_WORDS[line.state]}, ${callDuration(line)}${words === "" ? "" : `. ${oneLine(words)}`}`;
  return (
    <li>
      <a
        ref={row}
        class={`bar-row bar-${line.state} ${open ? "selected" : ""} ${pointed ? "pointed" : ""} ${line.failure ? `blame-${line.failure.blame}` : ""}`}
        href={callDrawer(line.executionId)}
        title={title}
        {...pointedAt(line.executionId)}
      >
        <span class="bar-name">
          <Glyph state={line.state} blame={line.failure?.blame} />
          <bdi class="clip">{oneLine(line.name)}</bdi>
        </span>
        <span class="track">
          <Squeezed axis={axis} />
          {segments.length > 1 && <i class="bar-join" style={between(axis, first, last)} />}
          {segments.map((segment, index) => (
            <i
              key={index}
              class={`bar segment-${segment.kind}`}
              style={between(axis, segment.startAt, segment.endAt ?? now.value)}
              title={`${segment.kind}: ${duration((segment.endAt ?? now.value) - segment.startAt)}`}
            />
          ))}
          <BarLabel from={axis.place(first)} to={axis.place(last)} text={callDuration(line)} />
        </span>
      </a>
    </li>
  );
}

/** At the end of the bar, before its beginning where there is no room, or within it where there is none either. */
function BarLabel({ from, to, text }: { from: number; to: number; text: string }) {
  const isWithin = to >= 0.82 && from < 0.18;
  const style =
    to < 0.82 ? { left: percent(to) } : { right: percent(isWithin ? 1 - Math.min(1, to) : 1 - from) };
  return (
    <span class={`bar-label ${isWithin ? "within" : ""}`} style={style}>
      {text}
    </span>
  );
}

function Squeezed({ axis }: { axis: TimeAxis }) {
  return (
    <>
      {axis.squeezed.map(({ place, label }) => (
        <i
          key={place}
          class="squeezed"
          style={{ left: percent(place) }}
          title={`${label} in which nothing ran`}
        />
      ))}
    </>
  );
}

function between(axis: TimeAxis, from: number, to: number): { left: string; width: string } {
  const start = axis.place(from);
  return { left: percent(start), width: percent(Math.max(0, axis.place(to) - start)) };
}
