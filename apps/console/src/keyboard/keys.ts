import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Keys by what one presses: "j", "enter", "?", or two after another: "g l". While one types into a field only "esc" counts.
 * Of two layers with the same key the one that came last wins: a drawer's "esc" before its page's.
 */
export type Keys = Record<string, { label: string; run: () => void }>;

interface Layer {
  title: string;
  keys: Keys;
}

const SEQUENCE_MS = 1_000;
const NAMES: Record<string, string> = { Enter: "enter", Escape: "esc", ArrowDown: "down", ArrowUp: "up" };

/** The layers that are active, for the page of all keys. */
export const layers = signal<readonly Layer[]>([]);

const MOVES: ReadonlySet<string> = new Set(["j", "k", "down", "up"]);

let first: { key: string; at: number } | undefined;

/** Adds keys for as long as the component is there and `active`. */
export function useKeys(title: string, keys: Keys, active = true): void {
  const current = useRef(keys);
  current.current = keys;
  const names = Object.keys(keys).join("\n");
  // At once, not after the next frame: what is seen can be pressed.
  useLayoutEffect(() => {
    if (!active) return;
    const layer: Layer = {
      title,
      get keys() {
        return current.current;
      },
    };
    layers.value = [...layers.value, layer];
    return () => {
      layers.value = layers.value.filter((each) => each !== layer);
    };
  }, [title, names, active]);
}

export function listenToKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = NAMES[event.key] ?? event.key;
    if (key !== "esc" && isTyping(event.target)) return;
    // Enter on a button or a link is the browser's.
    if (key === "enter" && event.target instanceof HTMLElement && event.target.matches("a, button, summary"))
      return;
    // A key that is held moves on and on, but does nothing twice.
    if (event.repeat && !MOVES.has(key)) return;
    const run = find(key);
    if (run === undefined) return;
    event.preventDefault();
    // Whoever moves through a list has left the button that was pressed last: the next enter is not for it.
    if (MOVES.has(key) && event.target instanceof HTMLElement && event.target.matches("button"))
      event.target.blur();
    run();
  });
}

function find(key: string): (() => void) | undefined {
  const now = performance.now();
  const pair = first !== undefined && now - first.at < SEQUENCE_MS ? `${first.key} ${key}` : undefined;
  first = undefined;
  const found = (pair && binding(pair)) || binding(key);
  if (
    found === undefined &&
    layers.value.some(({ keys }) => Object.keys(keys).some((each) => each.startsWith(`${key} `)))
  )
    first = { key, at: now };
  return found;
}

function binding(key: string): (() => void) | undefined {
  return layers.value.findLast(({ keys }) => Object.hasOwn(keys, key))?.keys[key]?.run;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"))
  );
}
