import { ago, duration, exactly } from "../format/time.ts";

/** When, as how long ago; the exact time on hover. */
export function Ago({ at }: { at: number }) {
  return (
    <time class="ago" dateTime={isoOf(at)} title={exactly(at)}>
      {ago(at)}
    </time>
  );
}

export function Duration({ ms }: { ms: number | undefined }) {
  return <span class="number">{ms === undefined ? "–" : duration(ms)}</span>;
}

function isoOf(at: number): string | undefined {
  return Number.isFinite(at) && Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : undefined;
}
