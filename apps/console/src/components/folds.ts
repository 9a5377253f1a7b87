import { type Signal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext, useEffect, useLayoutEffect } from "preact/hooks";

/** What is folded within a part of a page, for whoever must not go on before all of it was shown. */
export interface Folds {
  /** How many places hide something now. */
  hidden: Signal<number>;
  /** Grows whenever all of them are to be opened. */
  opened: Signal<number>;
}

export function newFolds(): Folds {
  return { hidden: signal(0), opened: signal(0) };
}

export const FoldsContext = createContext<Folds | undefined>(undefined);

/** Counts this place while it hides something, and calls `open` when all of it is to be shown. */
export function useFold(hides: boolean, open: () => void): void {
  const folds = useContext(FoldsContext);
  const opened = folds?.opened.value ?? 0;
  // At once: nobody says yes in between.
  useLayoutEffect(() => {
    if (folds === undefined || !hides) return;
    folds.hidden.value++;
    return () => {
      folds.hidden.value--;
    };
  }, [folds, hides]);
  useEffect(() => {
    if (opened > 0) open();
  }, [opened]);
}
