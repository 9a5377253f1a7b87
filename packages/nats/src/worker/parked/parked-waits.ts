import { setTimeout as pause } from "node:timers/promises";
import type { NatsConnection } from "@nats-io/transport-node";
import { ToolrigError } from "@toolrig/core";
import {
  defined,
  formatDuration,
  newId,
  type Wait,
  type WaitCount,
  type WaitFilter,
  type WaitStore,
} from "@toolrig/core/kit";
import type { KvWaits } from "../../store/waits.ts";
import type { AckedPublisher } from "../../wire/acked-publisher.ts";
import { readReference } from "../../wire/messages.ts";
import type { Payloads } from "../../wire/payload.ts";
import { mayPass } from "../../wire/retrying.ts";
import { signatureIn } from "../../wire/signature.ts";
import type { RunningCall, RunningCalls } from "../deliver/running-calls.ts";
import { type FleetCall, isAnswered, isInPlace, type ParkedWait } from "./parked-wait.ts";

export interface ParkedWaitsParts {
  connection: NatsConnection;
  publisher: AckedPublisher;
  payloads: Payloads;
  store: KvWaits;
  running: RunningCalls;
  /** Whether this worker has a tool, and may run it. */
  has(name: string): boolean;
  /** How long the fleet remembers a call that nobody writes to. */
  ledgerTtlMs: number;
  /** Makes the ledger's entry of a call that waits young again. */
  keep(key: string): Promise<void>;
}

/** For so long an answered call is its finder's, who puts it into the queue. */
const RESUBMIT_MS = 10_000;
const RETRY_MS = 250;
/** What is forgotten is read again. */
const MAX_REMEMBERED = 1_000;

type Looked = Pick<FleetCall, "key" | "executionId" | "attempt">;
/** Longer than anybody has a wait to look at. */
const MIN_VISIT_MS = 30_000;

/**
 * The waits of a fleet, as the executor of a worker uses them. Each has the call that waits with it; those of tools that are
 * not here are left to others; and whoever moves one that waits keeps its call from being forgotten. A server that is away is
 * waited for.
 */
export class ParkedWaits implements WaitStore {
  readonly #parts: ParkedWaitsParts;
  /** How often a wait is looked at, at least. */
  readonly #visitMs: number;
  /** Calls whose results have come, and which are not seen through yet as far as it is known here. */
  readonly #ended = new Map<string, FleetCall>();
  readonly #looked = new Map<string, Looked>();

  constructor(parts: ParkedWaitsParts) {
    this.#parts = parts;
    this.#visitMs = parts.ledgerTtlMs / 4;
  }

  async add(wait: Wait): Promise<Wait> {
    this.#checkLength(wait);
    const { running, store } = this.#parts;
    const call = running.ofExecution(wait.executionId);
    const fleet = call === undefined ? undefined : await this.#callOf(call);
    const given: ParkedWait = { ...this.#visited(wait), ...defined({ fleet }) };
    const kept: ParkedWait = await this.#insist(() => store.add(given));
    if (kept.fleet?.key === fleet?.key) return this.#withTokens(kept, wait);
    throw new ToolrigError("STORE_FAILED", `somebody else wrote the waits of execution ${wait.executionId}`);
  }

  /** A call that was started twice, because its first worker was taken for lost, has two tokens out. Either is good. */
  async #withTokens(kept: ParkedWait, { tokens = [] }: Wait): Promise<Wait> {
    const known = kept.tokens ?? [];
    const more = tokens.filter((token) => !known.includes(token));
    if (more.length > 0 && kept.end === undefined)
      await this.revise(kept.id, (now) => ({ ...now, tokens: [...(now.tokens ?? []), ...more] }));
    return kept;
  }

  async get(id: string): Promise<ParkedWait | undefined> {
    const wait: ParkedWait | undefined = await this.#insist(() => this.#parts.store.get(id));
    return wait === undefined || !isInPlace(wait) ? undefined : this.#noted(wait);
  }

  /** The call of an execution whose result has come and is to be seen through. */
  endedCall(executionId: string): FleetCall | undefined {
    return this.#ended.get(executionId);
  }

  /** The call of an execution that was looked at here lately. */
  lookedAt(executionId: string): Looked | undefined {
    return this.#looked.get(executionId);
  }

  async revise(id: string, revise: (wait: Wait) => Wait | undefined): Promise<boolean> {
    const writer = newId("write");
    let wasMine = false;
    let keep: string | undefined;
    let over: string | undefined;
    const change = (wait: ParkedWait): ParkedWait | undefined => {
      wasMine = wait.writer === writer;
      const revised = wasMine ? undefined : (revise(wait) as ParkedWait | undefined);
      if (revised === undefined) return undefined;
      const { fleet, end } = revised;
      const now = Date.now();
      const isOld = fleet !== undefined && end === undefined && now - fleet.keptAt >= this.#visitMs;
      keep = isOld ? fleet.key : undefined;
      over = end !== undefined && revised.nextAt === undefined ? revised.executionId : undefined;
      return {
        ...(end === undefined ? this.#visited(revised) : this.#followed(wait, revised)),
        ...(isOld && { fleet: { ...fleet, keptAt: now } }),
        writer,
      };
    };
    const revised = await this.#insist(() => this.#parts.store.revise(id, change));
    if (revised && over !== undefined) this.#ended.delete(over);
    // There is time to do so when it is looked at again.
    if (revised && keep !== undefined) await this.#parts.keep(keep).catch(() => {});
    return revised || wasMine;
  }

  async list(filter?: WaitFilter): Promise<Wait[]> {
    const found: ParkedWait[] = await this.#insist(() => this.#parts.store.list(filter));
    return found.filter(isInPlace);
  }

  counts(): Promise<WaitCount[]> {
    return this.#parts.store.counts();
  }

  /** Those that this worker can see through. Answered calls are put into the queue. */
  async due(at: number, limit: number): Promise<Wait[]> {
    const { store, has } = this.#parts;
    const due: ParkedWait[] = (await store.due(at, limit, has)).filter(isInPlace);
    await Promise.all(due.filter(isAnswered).map((wait) => this.#resubmit(wait).catch(() => {})));
    return due.filter((wait) => !isAnswered(wait)).map((wait) => this.#noted(wait));
  }

  #noted(wait: ParkedWait): ParkedWait {
    const { executionId, kind, fleet, end, nextAt } = wait;
    if (fleet === undefined || kind === "question") return wait;
    const { key, attempt } = fleet;
    remember(this.#looked, executionId, { key, executionId: fleet.executionId, attempt });
    if (end === undefined || nextAt === undefined) this.#ended.delete(executionId);
    else if (this.#parts.has(wait.name)) remember(this.#ended, executionId, fleet);
    return wait;
  }

  /** Once, or once more when its finder died over it: of two copies in the queue one runs. */
  async #resubmit(wait: ParkedWait): Promise<void> {
    const { fleet, id, nextAt } = wait;
    const { store, publisher, payloads } = this.#parts;
    if (fleet === undefined) return;
    const mine = Date.now() + RESUBMIT_MS;
    const taken = await store.revise(id, (now) =>
      now.nextAt === nextAt ? { ...now, nextAt: mine } : undefined,
    );
    if (!taken) return;
    const text = await payloads.fit(`${fleet.key}.call`, fleet.text);
    await publisher.publish(fleet.subject, text, { ...fleet.signature, "Nats-Msg-Id": id });
    await store.revise(id, ({ nextAt: _, ...now }) => now);
  }

  async #callOf({ message, call, progress }: RunningCall): Promise<FleetCall> {
    const sent = message.string();
    const object = readReference(sent);
    // Large arguments are kept with the wait: what the message names is not there for long.
    const text = object === undefined ? sent : await this.#parts.payloads.load(object);
    const { attempt } = progress;
    const { key, executionId } = call;
    const signature = signatureIn(message.headers);
    const { subject } = message;
    return { key, executionId, subject, text, ...defined({ signature }), attempt, keptAt: Date.now() };
  }

  /** One that has ended is seen through at once where its tool is, and an answered call goes back to the queue. */
  #followed(before: ParkedWait, ended: ParkedWait): ParkedWait {
    if (before.end !== undefined || ended.end === undefined) return ended;
    return isAnswered(ended) || !this.#parts.has(ended.name) ? { ...ended, nextAt: ended.end.at } : ended;
  }

  #visited<T extends ParkedWait>(wait: T): T {
    if (wait.nextAt === undefined || !Number.isFinite(this.#visitMs)) return wait;
    return { ...wait, nextAt: Math.min(wait.nextAt, Date.now() + Math.max(this.#visitMs, MIN_VISIT_MS)) };
  }

  #checkLength({ expiresAt, createdAt, name }: Wait): void {
    const { ledgerTtlMs } = this.#parts;
    if (this.#visitMs >= MIN_VISIT_MS) return;
    const waitsMs = expiresAt === undefined ? Number.POSITIVE_INFINITY : expiresAt - createdAt;
    if (waitsMs <= ledgerTtlMs / 2) return;
    const message = `${name} wants to wait for ${formatDuration(waitsMs)}, and this fleet forgets calls after ${formatDuration(ledgerTtlMs)} (ledgerTtl); make that at least ${formatDuration(4 * MIN_VISIT_MS)}, or the wait at most half of it`;
    throw new ToolrigError("STORE_FAILED", message);
  }

  async #insist<T>(ask: () => Promise<T>): Promise<T> {
    const since = Date.now();
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!mayPass((error as Error).cause, since) || this.#parts.connection.isClosed()) throw error;
        await pause(RETRY_MS);
      }
    }
  }
}

function remember<T>(calls: Map<string, T>, executionId: string, call: T): void {
  calls.delete(executionId);
  calls.set(executionId, call);
  for (const oldest of calls.keys()) {
    if (calls.size <= MAX_REMEMBERED) return;
    calls.delete(oldest);
  }
}

/** The waits of whatever session a worker is in. */
export function waitsOfSession(current: () => WaitStore | undefined): WaitStore {
  const now = (): WaitStore => {
    const store = current();
    if (store !== undefined) return store;
    throw new ToolrigError("STORE_FAILED", "This worker is not connected, so its waits cannot be reached.");
  };
  return {
    add: async (wait) => now().add(wait),
    get: async (id) => now().get(id),
    revise: async (id, revise) => now().revise(id, revise),
    list: async (filter) => now().list(filter),
    due: async (at, limit) => (await current()?.due(at, limit)) ?? [],
    counts: async () => now().counts(),
  };
}
