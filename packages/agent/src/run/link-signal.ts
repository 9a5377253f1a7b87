/** Aborts `controller` when `outer` does, or has, until the function that is given back is called. */
export function linkSignal(outer: AbortSignal | undefined, controller: AbortController): () => void {
  if (outer === undefined) return () => {};
  const onAbort = () => controller.abort(outer.reason);
  if (outer.aborted) onAbort();
  else outer.addEventListener("abort", onAbort, { once: true });
  return () => outer.removeEventListener("abort", onAbort);
}
