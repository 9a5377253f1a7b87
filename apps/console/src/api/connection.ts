import { signal } from "@preact/signals";

/** How the server is doing, as far as this tab can tell. `since` is when it was last heard of. */
export type Connection =
  | { state: "connecting" }
  | { state: "live" }
  | { state: "lost"; since: number; why: string }
  | { state: "locked"; why: string };

export const connection = signal<Connection>({ state: "connecting" });

/** Grows whenever the server is back after it was lost: whoever shows what it read then reads it again. */
export const comebacks = signal(0);

export function noteHeard(): void {
  if (connection.value.state === "live") return;
  if (connection.value.state === "lost") comebacks.value++;
  connection.value = { state: "live" };
}

export function noteLost(why: string): void {
  const { state } = connection.value;
  if (state !== "lost" && state !== "locked") connection.value = { state: "lost", since: Date.now(), why };
}

/** The server wants a token, or another one. */
export function noteLocked(why: string): void {
  connection.value = { state: "locked", why };
}
