import type { RunDetail } from "@toolrig/server/wire";
import { duration } from "../../format/time.ts";

/** Where a moment is on the axis, from 0 to 1; and moments to name along it. */
export interface TimeAxis {
  place(at: number): number;
  ticks: { place: number; label: string }[];
  /** Long silences that are squeezed, so that an hour of waiting does not hide ten seconds of work. */
  squeezed: { place: number; label: string }[];
}

interface Span {
  from: number;
  to: number;
  /** Of the axis. */
  start: number;
  width: number;
  squeezed: boolean;
}

const SQUEEZED_WIDTH = 0.06;

export function timeAxis(run: RunDetail, now: number): TimeAxis {
  const begin = run.line.startedAt;
  const end = Math.max(begin + 1, run.line.endedAt ?? Math.min(now, lastMoment(run, now)));
  const spans = layOut(begin, end, busyTimes(run, begin, end));
  const place = (at: number) => {
    const span = spans.findLast((each) => at >= each.from) ?? spans[0];
    if (span === undefined) return 0;
    const within = Math.min(1, Math.max(0, (at - span.from) / Math.max(1, span.to - span.from)));
    return span.start + within * span.width;
  };
  return {
    place,
    ticks: ticks(spans, begin),
    squeezed: spans
      .filter((span) => span.squeezed)
      .map((span) => ({ place: span.start + span.width / 2, label: duration(span.to - span.from) })),
  };
}

/** When something was done: turns without the parts in which all their calls only waited. */
function busyTimes(run: RunDetail, begin: number, end: number): [number, number][] {
  const times: [number, number][] = [];
  // A turn that has not ended, in a run that waits, does nothing but wait since the last that was heard of it.
  const lastWord = run.line.state === "running" ? end : Math.min(end, run.line.updatedAt);
  for (const turn of run.turns) {
    const first = Math.min(turn.startedAt, ...turn.calls.map(({ line }) => line.startedAt));
    // From the beginning of the turn to its first call the model writes.
    const firstCall = Math.min(...turn.calls.map(({ line }) => line.startedAt));
    times.push([first, Number.isFinite(firstCall) ? firstCall : (turn.endedAt ?? lastWord)]);
    for (const { line, segments } of turn.calls)
      for (const { kind, startAt, endAt = line.state === "running" ? end : startAt } of segments)
        if (kind !== "approval" && kind !== "wait" && kind !== "queue") times.push([startAt, endAt]);
  }
  return merge(
    times.filter(([from, to]) => to >= from).map(([from, to]) => [Math.max(begin, from), Math.min(end, to)]),
  );
}

function merge(times: [number, number][]): [number, number][] {
  const merged: [number, number][] = [];
  for (const [from, to] of times.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

/** Silences that are longer than all work together are squeezed; the rest is to scale. */
function layOut(begin: number, end: number, busy: [number, number][]): Span[] {
  const worked = busy.reduce((sum, [from, to]) => sum + to - from, 0);
  const least = Math.max(1_000, worked);
  const cuts: { from: number; to: number; squeezed: boolean }[] = [];
  let at = begin;
  const through = (to: number, squeezed: boolean) => {
    if (to > at) cuts.push({ from: at, to, squeezed });
    at = Math.max(at, to);
  };
  for (const [from, to] of [...busy, [end, end] as const]) {
    if (from - at > least) {
      // A little of the silence stays to scale on both sides.
      through(at + least * 0.05, false);
      through(from - least * 0.05, true);
    }
    through(to, false);
  }
  const squeezed = cuts.filter((cut) => cut.squeezed).length * SQUEEZED_WIDTH;
  const whole = cuts.reduce((sum, cut) => (cut.squeezed ? sum : sum + cut.to - cut.from), 0) || 1;
  let start = 0;
  return cuts.map((cut) => {
    const width = cut.squeezed ? SQUEEZED_WIDTH : ((cut.to - cut.from) / whole) * (1 - squeezed);
    const span = { ...cut, start, width };
    start += width;
    return span;
  });
}

const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000,
  600_000, 1_800_000, 3_600_000, 10_800_000, 43_200_000, 86_400_000,
];

function ticks(spans: Span[], begin: number): TimeAxis["ticks"] {
  const whole = spans.reduce((sum, span) => (span.squeezed ? sum : sum + span.to - span.from), 0);
  const step = STEPS.find((each) => whole / each <= 6) ?? 86_400_000;
  const found: TimeAxis["ticks"] = [];
  for (const span of spans) {
    if (span.squeezed) continue;
    for (let at = begin + Math.ceil((span.from - begin) / step) * step; at <= span.to; at += step) {
      const place = span.start + ((at - span.from) / Math.max(1, span.to - span.from)) * span.width;
      if (place - (found.at(-1)?.place ?? -1) > 0.09 && place < 0.88)
        found.push({ place, label: at === begin ? "0" : duration(at - begin).replace(".0 s", " s") });
    }
  }
  return found;
}

function lastMoment(run: RunDetail, now: number): number {
  if (run.line.state === "running" || run.line.state === "waiting") return now;
  const ends = run.turns.flatMap((turn) => [
    turn.endedAt ?? turn.startedAt,
    ...turn.calls.map(({ line }) => line.endedAt ?? line.startedAt),
  ]);
  return Math.max(run.line.updatedAt, ...ends);
}
