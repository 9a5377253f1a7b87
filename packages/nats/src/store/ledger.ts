import type { NatsConnection } from "@nats-io/transport-node";
import type { ToolResult } from "@toolrig/core";
import {
  type Intent,
  type IntentState,
  type KnownExecution,
  type Ledger,
  newId,
  type OpenIntent,
} from "@toolrig/core/kit";
import { keyOf, token } from "../wire/names.ts";
import { Bucket, type BucketOptions, type Entry } from "./bucket.ts";

type Kept = Intended & ({ state: "open" | "waiting" | "withdrawn" } | { state: Ended; result: ToolResult });

interface Intended {
  intent: Intent;
  at: number;
  /** Who will close it; of one that waits, who parked it. */
  session: string;
}

type Ended = "completed" | "failed" | "unknown";

const BEAT_MS = 5_000;
const SILENT_MS = 15_000;

/** A ledger on NATS. Every write is with the server before its promise resolves. */
export class KvLedger implements Ledger {
  readonly #bucket: Bucket<Kept>;
  readonly #sessions: Bucket<{ at: number }>;
  readonly #session = newId("session").replace(".", "-");
  readonly #timer: ReturnType<typeof setInterval>;
  /** Calls of this process that are over, and whose outcome the server did not take. */
  readonly #over = new Set<string>();

  private constructor(bucket: Bucket<Kept>, sessions: Bucket<{ at: number }>) {
    this.#bucket = bucket;
    this.#sessions = sessions;
    this.#timer = setInterval(() => void this.#beat().catch(() => {}), BEAT_MS);
    this.#timer.unref();
  }

  static async open(connection: NatsConnection, options: BucketOptions): Promise<KvLedger> {
    const { name, replicas = 1 } = options;
    const sessions = await Bucket.open<{ at: number }>(connection, {
      name: `${name}_SESSIONS`,
      replicas,
      ttlMs: SILENT_MS,
    });
    const ledger = new KvLedger(await Bucket.open<Kept>(connection, options), sessions);
    await ledger.#beat();
    return ledger;
  }

  async intend(intent: Intent): Promise<IntentState> {
    const key = keyOf(intent.executionId);
    const { executionId, fingerprint, name, version, args, callId, runId, principal, source } = intent;
    const plain = { executionId, fingerprint, name, version, args, callId, runId, principal, source };
    const fresh: Kept = { intent: plain, at: Date.now(), session: this.#session, state: "open" };
    for (;;) {
      const known = await this.#bucket.get(key);
      if (known === undefined || known.value.state === "withdrawn") {
        if (await this.#writeNew(key, fresh, known)) return { state: "new" };
        continue;
      }
      const { value } = known;
      if (value.intent.fingerprint !== fingerprint) return { state: "collision" };
      if ("result" in value) return { state: "done", result: value.result };
      if (value.state === "waiting") return { state: "waiting" };
      this.#over.delete(intent.executionId);
      if (value.session === this.#session) return { state: "open" };
      if (await this.#isAlive(value.session)) return { state: "running" };
      // Whoever finds an intent that a dead process left open takes it over.
      if (await this.#bucket.update(key, { ...value, session: this.#session }, known.revision))
        return { state: "open" };
    }
  }

  complete(executionId: string, result: ToolResult): Promise<boolean> {
    return this.#close(executionId, "completed", result);
  }

  fail(executionId: string, result: ToolResult): Promise<boolean> {
    return this.#close(executionId, "failed", result);
  }

  unknown(executionId: string, result: ToolResult): Promise<boolean> {
    return this.#close(executionId, "unknown", result);
  }

  /** Of this process only: what another has open is that one's to park. */
  park(executionId: string): Promise<boolean> {
    return this.#change(executionId, (value) =>
      value.state === "open" && value.session === this.#session ? { ...value, state: "waiting" } : undefined,
    );
  }

  unpark(executionId: string): Promise<boolean> {
    return this.#change(executionId, (value) =>
      value.state === "waiting" ? { ...value, state: "open", session: this.#session } : undefined,
    );
  }

  async withdraw(executionId: string): Promise<void> {
    await this.#end(executionId, (value) =>
      value.state === "open" ? { ...value, state: "withdrawn" } : undefined,
    );
  }

  /** Its session becomes one that has never been alive. */
  async release(executionId: string): Promise<void> {
    await this.#end(executionId, (value) =>
      value.state === "open" && value.session === this.#session
        ? { ...value, session: `${this.#session}-over` }
        : undefined,
    );
  }

  async open(): Promise<OpenIntent[]> {
    const open = (await this.#bucket.scan("", "replica")).filter(({ value }) => value.state === "open");
    const alive = new Set<string>();
    for (const session of new Set(open.map(({ value }) => value.session)))
      if (await this.#isAlive(session)) alive.add(session);
    return open
      .sort((a, b) => a.value.at - b.value.at || a.revision - b.revision)
      .map(({ value: { intent, at, session } }) => ({
        ...intent,
        version: intent.version,
        runId: intent.runId,
        at,
        running: alive.has(session) && !this.#over.has(intent.executionId),
      }));
  }

  async under(executionId: string): Promise<Intent[]> {
    const start = `${executionId}.`;
    // The text of an id is escaped character by character, unless it is a key as it is.
    const escaped = keyOf(`${start}.`).slice(0, -token(".").length);
    const isWithin = (key: string) => key.startsWith(start) || key.startsWith(escaped);
    const all = await this.#bucket.scan("", "leader", isWithin);
    return all
      .filter(({ value }) => value.state !== "withdrawn")
      .map(({ value: { intent } }) => ({ ...intent, version: intent.version }))
      .filter((intent) => intent.executionId.startsWith(start));
  }

  async get(executionId: string): Promise<KnownExecution | undefined> {
    const known = await this.#bucket.get(keyOf(executionId));
    if (known === undefined || known.value.state === "withdrawn") return undefined;
    const { value } = known;
    const { fingerprint, principal } = value.intent;
    return {
      fingerprint,
      principal,
      ...(value.state === "waiting" && { waiting: true }),
      ...("result" in value && { result: value.result }),
    };
  }

  /** What this process left open counts as left by a dead one from now on. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const mine = await this.#sessions.get(this.#session);
    if (mine !== undefined) await this.#sessions.remove(this.#session, mine.revision);
  }

  #writeNew(key: string, fresh: Kept, known: Entry<Kept> | undefined): Promise<boolean> {
    return known === undefined
      ? this.#bucket.create(key, fresh)
      : this.#bucket.update(key, fresh, known.revision);
  }

  /** Unknown gives way to an outcome; nothing replaces an outcome. */
  #close(executionId: string, state: Ended, result: ToolResult): Promise<boolean> {
    return this.#end(executionId, (value) => {
      const isIntent = value.state === "open" || value.state === "waiting";
      const givesWay = isIntent || (value.state === "unknown" && state !== "unknown");
      return givesWay ? { ...value, state, result } : undefined;
    });
  }

  /** A call that is over does not run any more, whether or not that can be written. */
  async #end(executionId: string, change: (value: Kept) => Kept | undefined): Promise<boolean> {
    this.#over.add(executionId);
    const changed = await this.#change(executionId, change);
    this.#over.delete(executionId);
    return changed;
  }

  #change(executionId: string, change: (value: Kept) => Kept | undefined): Promise<boolean> {
    return this.#bucket.revise(keyOf(executionId), change);
  }

  async #isAlive(session: string): Promise<boolean> {
    return session === this.#session || (await this.#sessions.get(session)) !== undefined;
  }

  #beat(): Promise<void> {
    return this.#sessions.put(this.#session, { at: Date.now() });
  }
}
