import { useEffect, useRef } from "preact/hooks";

/** Does something again and again while the page is looked at. */
export function useEvery(everyMs: number, run: () => void): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
