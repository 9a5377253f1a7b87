import { useComputed, useSignal } from "@preact/signals";
import type { CallLine } from "@toolrig/server/wire";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { comebacks } from "../../api/connection.ts";
import { onFeed } from "../../api/feed.ts";
import { CallRow } from "../../components/call-row.tsx";
import { Empty } from "../../components/empty.tsx";
import { ProblemNote } from "../../components/problem.tsx";
import { VirtualList } from "../../components/virtual-list.tsx";
import { count } from "../../format/numbers.ts";
import { useKeys } from "../../keyboard/keys.ts";
import { callDrawer } from "../../location/addresses.ts";
import { navigate, param, query } from "../../location/location.ts";
import { useNarrow } from "../../shell/narrow.ts";
import { isFiltered, readFilter } from "./filter.ts";
import { Filters } from "./filters.tsx";
import { LiveList } from "./live-list.ts";
import { PulseLine } from "./pulse-line.tsx";
import "./live.css";

const openCall = param("call");
/** The pointer over a row means that somebody is about to click: nothing moves under it for so long. */
const POINTER_MS = 2_000;

/** What is happening now: calls, newest on top. */
export function Live() {
  const filter = readFilter(query.value);
  const key = JSON.stringify(filter);
  const list = useMemo(() => new LiveList(filter), [key]);
  const scroller = useRef<HTMLElement>(null);
  const paused = useSignal(false);
  const scrolled = useSignal(false);
  const pointing = useSignal(false);
  const selected = useSignal<string | undefined>(undefined);
  const held = useComputed(
    () =>
      paused.value ||
      scrolled.value ||
      pointing.value ||
      selected.value !== undefined ||
      openCall.value !== "",
  );
  const rowHeight = useNarrow().value ? 52 : 28;
  const { lines, stale } = useLinesOf(list);
  const at = lines.findIndex((line) => line.executionId === selected.value);

  useEffect(() => {
    void list.load();
    return onFeed({ calls: (news) => list.receive(news), gap: () => void list.reload() });
  }, [list]);
  const back = comebacks.value;
  useEffect(() => {
    if (back > 0 && list.error.value !== undefined) void list.load();
  }, [back, list]);
  useEffect(() => list.hold(held.value), [held.value, list]);

  const showFresh = () => {
    if (scroller.current !== null) scroller.current.scrollTop = 0;
    selected.value = undefined;
    scrolled.value = false;
    list.showFresh();
  };
  const move = (by: number) => {
    selected.value = lines[Math.max(0, Math.min(lines.length - 1, at + by))]?.executionId;
    if (openCall.value !== "" && selected.value !== undefined)
      navigate(callDrawer(selected.value), { replace: true });
  };
  useKeys("Live", {
    j: { label: "Next call", run: () => move(1) },
    k: { label: "Previous call", run: () => move(-1) },
    enter: { label: "Open the call", run: () => selected.value && navigate(callDrawer(selected.value)) },
    esc: { label: "Back to the newest", run: showFresh },
    ".": { label: "Show what is new", run: showFresh },
    p: {
      label: "Pause, go on",
      run: () => {
        paused.value = !paused.value;
      },
    },
  });
  const pointer = usePointerRest((moves) => {
    pointing.value = moves;
  });

  return (
    <div class="page fixed live">
      <div class="page-head">
        <h1>Live</h1>
        <PulseLine />
        <span class="spacer" />
        <button
          type="button"
          aria-pressed={paused.value}
          onClick={() => {
            paused.value = !paused.value;
          }}
        >
          {paused.value ? "Go on" : "Pause"}
        </button>
      </div>
      <Filters filter={filter} lines={lines} />
      {list.error.value !== undefined && list.error.value.problem.status !== 0 && (
        <ProblemNote error={list.error.value} />
      )}
      <div class={`live-frame ${stale}`} onPointerMove={pointer}>
        {list.fresh.value > 0 && (
          <button type="button" class="pill" onClick={showFresh}>
            {count(list.fresh.value)} new
          </button>
        )}
        {lines.length === 0 ? (
          <NothingHere list={list} filtered={isFiltered(filter)} />
        ) : (
          <VirtualList
            items={lines}
            rowHeight={rowHeight}
            keyOf={(line) => line.executionId}
            label="Calls"
            selected={at}
            element={scroller}
            onScroll={(top) => {
              scrolled.value = top > 0;
            }}
            onEnd={() => void list.loadOlder()}
            render={(line) => (
              <CallRow line={line} selected={line.executionId === (openCall.value || selected.value)} />
            )}
          />
        )}
      </div>
    </div>
  );
}

/** The lines of a list; while it is read for the first time those of the list before, greyed. */
function useLinesOf(list: LiveList): { lines: readonly CallLine[]; stale: string } {
  const before = useRef<readonly CallLine[]>([]);
  if (list.loading.value && list.shown.value.length === 0)
    return { lines: before.current, stale: before.current.length === 0 ? "" : "stale" };
  before.current = list.shown.value;
  return { lines: before.current, stale: "" };
}

function NothingHere({ list, filtered }: { list: LiveList; filtered: boolean }) {
  if (list.loading.value)
    return (
      <p class="live-loading quiet" role="status">
        Reading the calls…
      </p>
    );
  if (filtered)
    return (
      <Empty title="No call fits the filter">
        Calls that fit will appear here. <a href="/">Show all calls</a>
        {list.more.value && (
          <button type="button" class="plain" onClick={() => void list.loadOlder()}>
            Look further back
          </button>
        )}
      </Empty>
    );
  return (
    <Empty title="No calls yet" command="npx toolrig tools" demo>
      Every call that a model, a script or a person makes appears here at once, with its arguments, its
      outcome and its duration. <a href="/tools">Call a tool</a>, or list the names for{" "}
      <code>npx toolrig call</code>:
    </Empty>
  );
}

/** Calls back with true when the pointer moves and with false when it has rested. */
function usePointerRest(changed: (moves: boolean) => void): (event: PointerEvent) => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (event) => {
    if (event.pointerType === "touch") return;
    clearTimeout(timer.current);
    changed(true);
    timer.current = setTimeout(() => changed(false), POINTER_MS);
  };
}
