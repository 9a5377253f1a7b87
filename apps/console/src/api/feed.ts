import { batch, signal } from "@preact/signals";
import type { CallLine, FeedMessage, InboxItem, Page, RunLine } from "@toolrig/server/wire";
import { apiUrl, authorization, get, lock } from "./client.ts";
import { connection, firstAnswer, noteHeard, noteLost } from "./connection.ts";
import { EventStreamReader, type StreamEvent } from "./event-stream.ts";

/** How many wait for a person or a result. */
export const inboxCount = signal(0);

/** What a page that follows the feed is told, once a frame at most. */
export interface FeedListener {
  calls?(lines: CallLine[]): void;
  runs?(lines: RunLine[]): void;
  /** Calls that ended beyond those that were told of: thousands a second are counted, not listed. */
  more?(calls: number): void;
  /** What is told from here on does not join on to what was read: read the lists anew. */
  gap?(): void;
}

/** A server that is silent for so long is asked again; it sends a comment more often than that. */
const SILENCE_MS = 45_000;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 5_000;

const listeners = new Set<FeedListener>();
let waiting: FeedMessage[] = [];
let scheduled = false;
let lastId = "";
/** Whether what is read joins on to what is told. */
let joined = false;
let wake: (() => void) | undefined;

/** Follows the feed until the returned function is called. */
export function onFeed(listener: FeedListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Keeps the one connection of this tab open. It resumes where it was cut, without gaps or doubles, and ends only where the server
 * wants a token: whoever gives it one begins anew.
 */
export async function startFeed(): Promise<void> {
  await firstAnswer;
  addEventListener("online", retryNow);
  document.addEventListener("visibilitychange", () => !document.hidden && retryNow());
  for (let delay = FIRST_DELAY_MS; !isLocked(); delay = Math.min(delay * 2, LONGEST_DELAY_MS)) {
    const heard = await readOnce().catch((error: unknown) => {
      noteLost(error instanceof Error ? error.message : String(error));
      return false;
    });
    if (heard) delay = FIRST_DELAY_MS;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delay);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function isLocked(): boolean {
  return connection.value.state === "locked";
}

/** Tries again at once. */
export function retryNow(): void {
  wake?.();
}

/** One connection, until it ends. Answers whether anything was heard. */
async function readOnce(): Promise<boolean> {
  const abort = new AbortController();
  let silence = setTimeout(() => abort.abort(), SILENCE_MS);
  let heard = false;
  try {
    const response = await fetch(apiUrl("/events"), {
      headers: {
        accept: "text/event-stream",
        ...authorization(),
        ...(lastId && { "last-event-id": lastId }),
      },
      signal: abort.signal,
      credentials: "omit",
      cache: "no-store",
    });
    if (response.status === 401) {
      lock();
      return false;
    }
    if (!response.ok || response.body === null) {
      noteLost(`The server answered ${response.status}.`);
      return false;
    }
    noteHeard();
    const reader = new EventStreamReader(receive);
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      heard = true;
      // A request may have failed while this connection held.
      noteHeard();
      clearTimeout(silence);
      silence = setTimeout(() => abort.abort(), SILENCE_MS);
      reader.push(piece);
    }
    noteLost("The server closed the connection.");
  } catch {
    noteLost(abort.signal.aborted ? "The server has gone silent." : "The server does not answer.");
  } finally {
    clearTimeout(silence);
  }
  return heard;
}

function beginAnew(): void {
  joined = true;
  waiting = [];
  void countInbox();
  for (const listener of listeners) listener.gap?.();
}

async function countInbox(): Promise<void> {
  const page = await get<Page<InboxItem>>("/inbox", { limit: 500 }).catch(() => undefined);
  if (page !== undefined) inboxCount.value = page.items.length;
}

function receive({ event, data, id }: StreamEvent): void {
  if (id !== "") lastId = id;
  // Lists that were read before the feed was open may lack what happened in between.
  if (event === "gap" || (event === "open" && !joined)) beginAnew();
  if (event !== "feed") return;
  waiting.push(JSON.parse(data) as FeedMessage);
  // A page that is not seen has no frames.
  if (document.hidden) flush();
  else if (!scheduled) {
    scheduled = true;
    requestAnimationFrame(flush);
  }
}

/** Everything since the last frame at once, so that a page draws once a frame however much arrives. */
function flush(): void {
  scheduled = false;
  const messages = waiting;
  waiting = [];
  if (messages.length === 0) return;
  const calls = messages.flatMap((message) => message.calls);
  const runs = messages.flatMap((message) => message.runs);
  const more = messages.reduce((sum, message) => sum + (message.more ?? 0), 0);
  const inbox = messages.findLast((message) => message.inbox !== undefined)?.inbox;
  batch(() => {
    if (inbox !== undefined) inboxCount.value = inbox;
    for (const listener of listeners) {
      if (calls.length > 0) listener.calls?.(calls);
      if (runs.length > 0) listener.runs?.(runs);
      if (more > 0) listener.more?.(more);
    }
  });
}
