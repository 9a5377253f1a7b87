/** Stages answer at once where they can: awaiting what is already known is most of the cost of a short call. */
export type MaybePromise<T> = T | Promise<T>;

export function isThenable(value: unknown): value is Promise<unknown> {
  return (
    typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"
  );
}
