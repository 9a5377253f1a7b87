import type { Blame, CallState } from "@toolrig/server/wire";
import { STATE_WORDS } from "../format/words.ts";

const SHAPES: Record<CallState, preact.JSX.Element> = {
  running: <path d="M8 2.5a5.5 5.5 0 1 1-5.5 5.5" />,
  waiting: <path d="M6 4.5v7M10 4.5v7" />,
  ok: <path d="m3.5 8.5 3 3 6-7" />,
  failed: <path d="m4.5 4.5 7 7m0-7-7 7" />,
  unknown: <path d="M6 6.2a2 2 0 1 1 2.9 1.7c-.6.4-.9.7-.9 1.5M8 11.6v.1" />,
};

/**
 * The shape of a state: nothing depends on colour alone. A failure has the colour of its blame. Beside the word for it, a label of ""
 * keeps it from being read twice.
 */
export function Glyph({
  state,
  blame,
  label = STATE_WORDS[state],
}: {
  state: CallState;
  blame?: Blame | undefined;
  label?: string;
}) {
  return (
    <svg
      class={`glyph glyph-${state} ${blame ? `blame-${blame}` : ""}`}
      viewBox="0 0 16 16"
      role="img"
      aria-label={label}
      aria-hidden={label === ""}
    >
      <title>{label}</title>
      {state === "unknown" && <rect class="glyph-ground" width="16" height="16" rx="4" />}
      {SHAPES[state]}
    </svg>
  );
}
