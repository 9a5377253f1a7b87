import { effect, signal, untracked } from "@preact/signals";
import { ApiError, post } from "../../api/client.ts";
import { connection } from "../../api/connection.ts";

/** How long a decision can be taken back before it is sent. */
const UNDO_MS = 5_000;

export interface Decision {
  /** Of the wait. */
  id: string;
  /** What was decided, in words: "Approved." */
  words: string;
  /** The sentence of what it was about, or what will run instead. */
  about: string;
  path: string;
  body: unknown;
}

export type Outgoing =
  | { state: "held"; decision: Decision; sendsAt: number }
  | { state: "sending"; decision: Decision }
  | { state: "sent"; decision: Decision }
  /** The server did not answer. It can be taken back until the server is there again, and is then held and sent once more. */
  | { state: "unsent"; decision: Decision }
  /** The server did not take it, and said why. The card is open again. */
  | { state: "refused"; decision: Decision; error: ApiError; triedBefore: boolean };

/** Decisions by what they are about. They outlive the page: one that was made is sent wherever the reader goes next. */
export const outgoing = signal<ReadonlyMap<string, Outgoing>>(new Map());

const timers = new Map<string, ReturnType<typeof setTimeout>>();
/** What the server did not answer to: it may have got it all the same. */
const triedBefore = new Set<string>();

/** Holds a decision for five seconds, then sends it. */
export function decide(decision: Decision): void {
  const { id } = decision;
  set(id, { state: "held", decision, sendsAt: Date.now() + UNDO_MS });
  timers.set(
    id,
    setTimeout(() => void send(decision), UNDO_MS),
  );
}

/** Takes back what was not sent yet: the latest decision, or that about `id`. */
export function undo(id = latest()): void {
  if (id === undefined || (!timers.has(id) && outgoing.value.get(id)?.state !== "unsent")) return;
  clearTimeout(timers.get(id));
  timers.delete(id);
  triedBefore.delete(id);
  set(id, undefined);
}

/** Lets go of what is no longer listed. */
export function forget(id: string): void {
  if (outgoing.value.get(id)?.state === "sent") set(id, undefined);
}

/** The reader has seen that it did not count. */
export function dismiss(id: string): void {
  if (outgoing.value.get(id)?.state === "refused") set(id, undefined);
}

async function send(decision: Decision): Promise<void> {
  const { id, path, body } = decision;
  timers.delete(id);
  set(id, { state: "sending", decision });
  try {
    await post(path, body);
    set(id, { state: "sent", decision });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.problem.status === 0) {
      triedBefore.add(id);
      set(id, { state: "unsent", decision });
      return;
    }
    set(id, { state: "refused", decision, error, triedBefore: triedBefore.has(id) });
  }
  triedBefore.delete(id);
}

function latest(): string | undefined {
  return [...outgoing.value].findLast(([, { state }]) => state === "held" || state === "unsent")?.[0];
}

function set(id: string, value: Outgoing | undefined): void {
  const next = new Map(outgoing.value);
  if (value === undefined) next.delete(id);
  else next.set(id, value);
  outgoing.value = next;
}

effect(() => {
  if (connection.value.state !== "live") return;
  for (const { state, decision } of untracked(() => [...outgoing.value.values()]))
    if (state === "unsent") untracked(() => decide(decision));
});

// A tab that is closed would take what is not sent with it.
addEventListener("beforeunload", (event) => {
  if (latest() !== undefined) event.preventDefault();
});
