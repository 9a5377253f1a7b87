import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, get, type Query } from "./client.ts";
import { comebacks } from "./connection.ts";

export interface Resource<T> {
  /** What was read last; old data stays while new data is on its way. */
  data: T | undefined;
  error: ApiError | undefined;
  /** Being read now. */
  loading: boolean;
  /** Class for what shows `data`: "stale" while it is that of another question or being read for the first time after a change. */
  stale: string;
  reload(): void;
}

/**
 * Reads a path of the API and keeps it: again when the path or query changes, when the server is back, and on `reload`.
 * A path of undefined reads nothing. Answers that are overtaken by a later question are dropped.
 */
export function useResource<T>(path: string | undefined, query: Query = {}): Resource<T> {
  const key = path === undefined ? undefined : JSON.stringify([path, query]);
  const [kept, setKept] = useState<{ key?: string; data?: T; error?: ApiError }>({});
  const [asked, setAsked] = useState(0);
  const [busy, setBusy] = useState(false);
  const latest = useRef(0);
  /** Whether an answer is on its way, and whether it was asked for again meanwhile. */
  const flight = useRef({ busy: false, again: false });
  const back = comebacks.value;

  useEffect(() => {
    if (path === undefined || key === undefined) return;
    const turn = ++latest.current;
    const abort = new AbortController();
    flight.current = { busy: true, again: false };
    const settled = () => {
      setBusy(false);
      const { again } = flight.current;
      flight.current = { busy: false, again: false };
      if (again) setAsked((count) => count + 1);
    };
    setBusy(true);
    get<T>(path, query, abort.signal).then(
      (data) => {
        if (turn !== latest.current) return;
        setKept({ key, data });
        settled();
      },
      (error: unknown) => {
        if (turn !== latest.current || abort.signal.aborted) return;
        const problem = asApiError(error);
        setKept((before) => ({
          key,
          ...(before.data !== undefined &&
            staysReadable(problem, before.key === key) && { data: before.data }),
          error: problem,
        }));
        settled();
      },
    );
    return () => abort.abort();
  }, [key, asked, back]);

  const other = kept.key !== key;
  return {
    data: kept.data,
    error: other ? undefined : kept.error,
    loading: busy,
    stale: other && kept.data !== undefined ? "stale" : "",
    // What changes faster than it is read is read all the same.
    reload: () => {
      if (flight.current.busy) flight.current.again = true;
      else setAsked((count) => count + 1);
    },
  };
}

/** What was read stays when the server is lost or too busy, not when it is gone or was something else. */
function staysReadable({ problem: { status } }: ApiError, same: boolean): boolean {
  return status === 0 || (same && status !== 404);
}

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new ApiError({ type: "about:blank", title: "Error", status: 0, code: "CONSOLE", detail });
}
