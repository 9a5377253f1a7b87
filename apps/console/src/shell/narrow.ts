import { type ReadonlySignal, signal } from "@preact/signals";

/** The width at which the styles, too, become those of a phone. */
const query = matchMedia("(max-width: 700px)");
const narrow = signal(query.matches);
query.addEventListener("change", () => {
  narrow.value = query.matches;
});

export function useNarrow(): ReadonlySignal<boolean> {
  return narrow;
}
