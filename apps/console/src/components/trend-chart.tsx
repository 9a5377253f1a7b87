import { useEffect, useRef } from "preact/hooks";
import UPlot from "uplot";
import { clockMinute, duration } from "../format/time.ts";
import { theme } from "../shell/theme.ts";
import "uplot/dist/uPlot.min.css";

/** One line of a chart: what it is called, and its value at each time; null is a gap. */
export interface TrendLine {
  label: string;
  values: readonly (number | null)[];
  /** The variable of its colour: "--text-2". */
  colour: string;
}

const HEIGHT = 140;

/**
 * Durations over time, without a grid: since when is it slow? `times` are epoch milliseconds, one a value. Under the pointer the exact
 * values are told in a line below.
 */
export function TrendChart({
  times,
  lines,
  title,
}: {
  times: readonly number[];
  lines: readonly TrendLine[];
  title: string;
}) {
  const place = useRef<HTMLDivElement>(null);
  const shown = theme.value;
  const key = JSON.stringify([times, lines]);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const chart = new UPlot(
      optionsOf(lines, element.clientWidth),
      [times.map((at) => at / 1_000), ...lines.map(({ values }) => [...values])],
      element,
    );
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [key, shown]);
  return <div ref={place} class="trend-chart" role="img" aria-label={title} />;
}

function optionsOf(lines: readonly TrendLine[], width: number): UPlot.Options {
  const styles = getComputedStyle(document.documentElement);
  const colour = (name: string) => styles.getPropertyValue(name).trim();
  const axis: UPlot.Axis = {
    stroke: colour("--text-3"),
    font: "12px system-ui",
    grid: { show: false },
    ticks: { stroke: colour("--line"), size: 4 },
  };
  return {
    width,
    height: HEIGHT,
    padding: [8, 12, 0, 0],
    cursor: { y: false, points: { size: 6 } },
    scales: { y: { range: (_, __, most) => [0, Math.max(1, most) * 1.1] } },
    axes: [
      { ...axis, size: 28, values: (_, seconds) => seconds.map((at) => clockMinute(at * 1_000)) },
      { ...axis, size: 64, values: (_, values) => values.map((value) => duration(value)), space: 36 },
    ],
    series: [
      { label: "at", value: (_, at) => (at === null ? "–" : clockMinute(at * 1_000)) },
      ...lines.map(({ label, colour: name }) => ({
        label,
        stroke: colour(name),
        width: 1.5,
        points: { size: 4 },
        value: (_: UPlot, value: number | null) => (value === null ? "–" : duration(value)),
      })),
    ],
  };
}
