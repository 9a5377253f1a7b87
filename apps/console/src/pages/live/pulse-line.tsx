import { useEffect, useMemo } from "preact/hooks";
import { onFeed } from "../../api/feed.ts";
import { Sparkline } from "../../components/sparkline.tsx";
import { count } from "../../format/numbers.ts";
import { now } from "../../format/time.ts";
import { PulseMeter } from "./pulse.ts";

/** What the server does now in numbers, and the last minute as a line. */
export function PulseLine() {
  const meter = useMemo(() => new PulseMeter(), []);
  useEffect(() => {
    void meter.load().then(() => meter.tick(Date.now()));
    return onFeed({
      calls: (lines) => meter.receive(lines),
      more: (calls) => meter.receiveMore(calls),
      gap: () => void meter.load(),
    });
  }, [meter]);
  useEffect(() => meter.tick(now.value), [now.value, meter]);
  if (meter.pulse.value === undefined) return null;
  const { running, waiting, ended, failed, unknown, perSecond } = meter.pulse.value;
  return (
    <div class="facts">
      <span>
        <strong>{count(running)}</strong> running
      </span>
      <span>
        <strong>{count(waiting)}</strong> waiting
      </span>
      <span>
        <strong>{count(failed)}</strong> failed in the last minute
      </span>
      {unknown > 0 && (
        <span class="badge loud" title="In the last minute">
          {count(unknown)} unknown
        </span>
      )}
      <Sparkline
        values={perSecond}
        width={120}
        title="Calls that ended in each second of the last minute"
        label={`${count(ended)} ended`}
      />
    </div>
  );
}
