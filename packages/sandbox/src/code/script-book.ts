import type { DataLabels, FailureCode, Principal } from "@toolrig/core";
import type { ArtifactStore, Journal, JournalEntry, RunHeader } from "@toolrig/core/kit";
import type { SandboxLog } from "../engine/run.ts";

/** A call that a script has made and that has no answer yet. */
export interface PendingCall {
  /** In the sandbox. */
  id: number;
  name: string;
  args: unknown;
  /** Which of several same calls it is. */
  nth: number;
  /** It was not made yet, because it was not made before the process ended either. */
  heldBack?: boolean;
}

/** A call that failed, as the host knows it. */
export interface FailedCall {
  tool: string;
  code: FailureCode;
}

/** A script that waits, as data: all that any process needs to go on with it. */
export interface KeptScript {
  /** The artifact that holds its memory. */
  snapshot: string;
  pending: PendingCall[];
  /** How many it has made. */
  calls: number;
  /** How often each call was made. */
  counts: [key: string, times: number][];
  /** Calls that failed, by their ids in the sandbox. */
  failures: [id: number, failed: FailedCall][];
  log: SandboxLog[];
  /** Of what it and its run have read. */
  labels?: DataLabels;
  /** Calls with side effects of an earlier life that it has not come to again. */
  unclaimed: string[];
}

/** What is known of a script from its earlier lives. */
export interface Earlier {
  /** Where it waited last. */
  kept: KeptScript | undefined;
  /** Calls with side effects that it began, in all and after it waited last. */
  begun: string[];
  begunSince: string[];
}

/** Where scripts are kept. */
export interface ScriptStores {
  journal: Journal;
  artifacts: ArtifactStore;
}

/**
 * What is written down of one script, under the execution whose script it is: where it waits, and before each call with side
 * effects which one it is. Nothing is written of a script that does neither.
 */
export class ScriptBook {
  readonly #stores: ScriptStores;
  readonly #runId: string;
  readonly #header: Omit<RunHeader, "startedAt">;
  /** Resolves once the journal knows the script; absent as long as there is nothing to write. */
  #begun: Promise<void> | undefined;

  constructor(stores: ScriptStores, executionId: string, code: string, principal: Principal | undefined) {
    this.#stores = stores;
    this.#runId = `${executionId}/script`;
    const header = { runId: this.#runId, kind: "script", input: { code } } as const;
    this.#header = principal === undefined ? header : { ...header, principal };
  }

  async earlier(): Promise<Earlier> {
    const { journal } = this.#stores;
    const isKnown = (await journal.header(this.#runId)) !== undefined;
    if (isKnown) this.#begun = Promise.resolve();
    const entries = isKnown ? await journal.entries(this.#runId) : [];
    const last = entries.findLastIndex(({ type }) => type === "waiting");
    const waiting = entries[last];
    const kept = waiting?.type === "waiting" ? (waiting.outcome as { script: KeptScript }).script : undefined;
    return { kept, begun: begunIn(entries), begunSince: begunIn(entries.slice(last + 1)) };
  }

  /** Before a call with side effects is made. Rejects when it cannot be written. */
  async begins(key: string, name: string): Promise<void> {
    const call = { executionId: key, call: { id: key, name } };
    await this.#append({ type: "calls", turn: 0, calls: [call] });
  }

  /** The memory of a script that waits, and what else there is to know of it. */
  async keep(memory: Uint8Array, script: Omit<KeptScript, "snapshot">): Promise<void> {
    const snapshot = await this.#stores.artifacts.put(memory, script.labels);
    const waits = script.pending.map(({ name }) => name);
    await this.#append({
      type: "waiting",
      outcome: { status: "waiting", waits: [], calls: waits, script: { ...script, snapshot } },
    });
  }

  async memory({ snapshot }: KeptScript): Promise<Uint8Array | undefined> {
    const pieces = await this.#stores.artifacts.bytes(snapshot);
    if (pieces === undefined) return undefined;
    const parts: Uint8Array[] = [];
    for await (const piece of pieces) parts.push(piece);
    return Buffer.concat(parts);
  }

  /** It is over. What cannot be written of that any more is in the ledger. */
  async end(status: string): Promise<void> {
    if (this.#begun === undefined) return;
    await Promise.resolve(this.#append({ type: "end", outcome: { status } })).catch(() => {});
  }

  async #append(entry: JournalEntry): Promise<void> {
    this.#begun ??= Promise.resolve(this.#stores.journal.begin({ ...this.#header, startedAt: Date.now() }));
    await this.#begun;
    await this.#stores.journal.append(this.#runId, [entry]);
  }
}

function begunIn(entries: readonly JournalEntry[]): string[] {
  return entries.flatMap((entry) =>
    entry.type === "calls" ? entry.calls.map(({ executionId }) => executionId) : [],
  );
}
