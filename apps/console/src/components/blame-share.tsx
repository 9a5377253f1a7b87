import type { Blame } from "@toolrig/server/wire";
import { count, share } from "../format/numbers.ts";
import { BLAMES } from "../format/words.ts";

/** How many of the calls failed, and whose fault each was: a number, then a bar in the colours of blame. */
export function BlameShare({
  calls,
  failures,
  byBlame,
}: {
  calls: number;
  failures: number;
  byBlame: Partial<Record<Blame, number>>;
}) {
  if (calls === 0) return <span class="quiet">–</span>;
  if (failures === 0) return <span class="number quiet">0 %</span>;
  const parts = BLAMES.flatMap((blame) => {
    const number = byBlame[blame] ?? 0;
    return number > 0 ? [{ blame, number }] : [];
  });
  const words = parts.map(({ blame, number }) => `${count(number)} ${blame}`).join(", ");
  return (
    <span class="blame-share" title={`${count(failures)} of ${count(calls)} failed: ${words}`}>
      <span class="number">{share(failures, calls)}</span>
      <svg viewBox="0 0 60 8" width="60" height="8" role="img" aria-label={words} preserveAspectRatio="none">
        <rect class="blame-rest" width="60" height="8" rx="2" />
        {parts.map(({ blame, number }, index) => {
          const before = parts.slice(0, index).reduce((sum, part) => sum + part.number, 0);
          return (
            <rect
              key={blame}
              class={`blame-part blame-${blame}`}
              x={(60 * before) / calls}
              width={Math.max(2, (60 * number) / calls)}
              height="8"
            />
          );
        })}
      </svg>
    </span>
  );
}
