import { count } from "../../format/numbers.ts";

const MAX_CELLS = 64;

/** Slots as cells: those that run something are full. */
export function Slots({ running, slots }: { running: number; slots: number }) {
  const cells = Math.min(slots, MAX_CELLS);
  const full = Math.min(cells, slots > MAX_CELLS ? Math.ceil((running * cells) / slots) : running);
  const words = `${count(running)} of ${count(slots)} slots are taken`;
  return (
    <span class="slots" title={words}>
      <svg width={cells * 8} height="12" role="img" aria-label={words}>
        {Array.from({ length: cells }, (_, index) => (
          <rect
            key={index}
            class={index < full ? "slot full" : "slot"}
            x={index * 8}
            y="1"
            width="6"
            height="10"
            rx="1"
          />
        ))}
      </svg>
      <span class="number">
        {count(running)}/{count(slots)}
      </span>
    </span>
  );
}
