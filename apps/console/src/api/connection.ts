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

/** Settles with the first answer, or when there is none: a server that wants a token is asked once, not by every part of a page. */
export const firstAnswer = new Promise<void>((resolve) => {
  const stop = connection.subscribe(({ state }) => {
    if (state === "connecting") return;
    resolve();
    queueMicrotask(() => stop());
  });
});

export function noteHeard(): void {
  if (connection.value.state === "live") return;
  if (connection.value.state === "lost") comebacks.value++;
  connection.value = { state: "live" };
}

export function noteLost(why: string): void {
  const { state } = connection.value;
  if (state !== "lost" && state !== "locked") connection.value = { state: "lost", since: Date.now(), why };
}

/** The server wants a token, or another one. It is asked for nothing more until it gets one, which begins everything anew. */
export function noteLocked(why: string): void {
  if (connection.value.state !== "locked") connection.value = { state: "locked", why };
}
