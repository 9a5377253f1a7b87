import type { ToolResult } from "@toolrig/core";
import { defined, sha256 } from "@toolrig/core/kit";
import type { Seat } from "./seat.ts";

/** How many results are known again, and in how many runs it is known what they were shown. */
const MOST = 10_000;

/** A result as it stands in a conversation. */
export interface StandingResult {
  readonly callId: string;
  readonly name: string;
  /** What the model is shown of it. */
  readonly text: string;
}

/**
 * Results that a rig has given, to be known again where they stand in a conversation: by their call and their text. What somebody else
 * brought into it, or an earlier process did, came from who knows where.
 */
export class KnownResults {
  readonly #given = new Map<string, Pick<ToolResult, "labels" | "isError">>();
  /** What each run has read, so that it is told once. */
  readonly #read = new Map<string, Set<string>>();

  /** The guard has heard of it in this run. */
  gave({ flow, runId }: Seat, standing: StandingResult, { labels, isError }: ToolResult): void {
    if (flow === undefined) return;
    const key = keyOf(standing);
    this.#given.delete(key);
    this.#given.set(key, { isError, ...defined({ labels }) });
    dropOldest(this.#given);
    this.#readBy(runId).add(key);
  }

  /** Tells the guard of a run what it reads that did not come to it as a result. */
  tell({ flow, runId }: Seat, standing: Iterable<StandingResult>): void {
    if (flow === undefined) return;
    const read = this.#readBy(runId);
    for (const each of standing) {
      const key = keyOf(each);
      if (read.has(key)) continue;
      read.add(key);
      const { name, text } = each;
      const given = this.#given.get(key);
      if (given === undefined) flow.outsiderSaid(runId, `a result of ${name}`);
      else flow.recall(runId, { name, ...given, content: [{ type: "text", text }] });
    }
  }

  #readBy(runId: string): Set<string> {
    const read = this.#read.get(runId) ?? new Set<string>();
    this.#read.delete(runId);
    this.#read.set(runId, read);
    dropOldest(this.#read);
    return read;
  }
}

const keys = new WeakMap<StandingResult, string>();

/** Peers show the same results again at every call. */
function keyOf(standing: StandingResult): string {
  const { callId, name, text } = standing;
  const key = keys.get(standing) ?? sha256(JSON.stringify([callId, name, text]));
  keys.set(standing, key);
  return key;
}

function dropOldest(map: Map<string, unknown>): void {
  const [oldest] = map.keys();
  if (map.size > MOST && oldest !== undefined) map.delete(oldest);
}
