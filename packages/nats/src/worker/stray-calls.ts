import { type JetStreamManager, jetstreamManager, type StoredMsg } from "@nats-io/jetstream";
import { type NatsConnection, PermissionViolationError } from "@nats-io/transport-node";
import { failedResult } from "@toolrig/core/kit";
import type { AckedPublisher } from "../wire/acked-publisher.ts";
import type { CallLedger } from "../wire/call-ledger.ts";
import { MalformedMessage } from "../wire/malformed-message.ts";
import type { CallMessage } from "../wire/messages.ts";
import { SUBJECT } from "../wire/names.ts";
import type { Payloads } from "../wire/payload.ts";
import type { Signatures } from "../wire/signature.ts";
import type { DeliveryCounters } from "./deliver/counters.ts";
import { buryMalformed, readCallOf } from "./deliver/receive.ts";
import type { PlainResults } from "./plain-results.ts";

export interface StrayParts {
  connection: NatsConnection;
  stream: string;
  publisher: AckedPublisher;
  ledger: CallLedger;
  payloads: Payloads;
  signatures: Signatures;
  plainResults: PlainResults;
  counters: DeliveryCounters;
  /** For how long a subject may have calls and nobody who takes them: workers may be about to start. */
  patienceMs: number;
}

/** Of one subject at a time, so that a flood does not keep a worker from its calls. */
const AT_ONCE = 500;

/**
 * Answers the calls that no worker will ever take, because no consumer has their subject, and takes them out of the queue:
 * a name that is misspelt on the wire is not found, and leaves room for others. Every worker that may does this; what two
 * of them do at once is done once.
 */
export class StrayCalls {
  readonly #parts: StrayParts;
  /** Since when a subject has had no taker. */
  readonly #since = new Map<string, number>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #sweeping = false;

  constructor(parts: StrayParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#sweep(), this.#parts.patienceMs / 2);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #sweep(): Promise<void> {
    if (this.#sweeping) return;
    this.#sweeping = true;
    try {
      const manager = await jetstreamManager(this.#parts.connection, { checkAPI: false });
      for (const subject of await this.#overdue(manager)) await this.#refuseAll(manager, subject);
    } catch (error) {
      // Where a worker may not look at calls of others, there are permissions that keep stray ones out.
      if (error instanceof PermissionViolationError) this.stop();
    } finally {
      this.#sweeping = false;
    }
  }

  async #overdue(manager: JetStreamManager): Promise<string[]> {
    const { stream, patienceMs } = this.#parts;
    const { state } = await manager.streams.info(stream, { subjects_filter: `${SUBJECT.execute}.>` });
    const waiting = new Set(Object.keys(state.subjects ?? {}));
    if (waiting.size > 0) {
      for await (const { config } of manager.consumers.list(stream)) {
        for (const filter of config.filter_subjects ?? [config.filter_subject ?? ""])
          for (const subject of waiting) if (covers(filter, subject)) waiting.delete(subject);
      }
    }
    const now = performance.now();
    for (const subject of this.#since.keys()) if (!waiting.has(subject)) this.#since.delete(subject);
    for (const subject of waiting) if (!this.#since.has(subject)) this.#since.set(subject, now);
    return [...waiting].filter((subject) => now - (this.#since.get(subject) ?? now) >= patienceMs);
  }

  async #refuseAll(manager: JetStreamManager, subject: string): Promise<void> {
    const { stream } = this.#parts;
    for (let seq = 1, refused = 0; refused < AT_ONCE; refused++) {
      const next = { seq, next_by_subj: subject };
      const message = await manager.streams.getMessage(stream, next);
      if (message === null) return;
      if (await this.#refuse(message)) await manager.streams.deleteMessage(stream, message.seq, false);
      seq = message.seq + 1;
    }
  }

  /** False when a worker came after all, and is at it. */
  async #refuse(message: StoredMsg): Promise<boolean> {
    const { ledger, payloads, plainResults, signatures } = this.#parts;
    let call: CallMessage;
    try {
      const { subject, header: headers } = message;
      call = await readCallOf({ subject, headers, string: () => message.string() }, { payloads, signatures });
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error;
      await buryMalformed(message, String(message.seq), error, this.#parts);
      return true;
    }
    const said = `No worker takes calls from ${message.subject}.`;
    const result = failedResult(call.call, call.executionId, { code: "TOOL_NOT_FOUND", message: said });
    const entry = await payloads.entry(call.key, call.fingerprint, result);
    if ((await ledger.write(call.key, entry, 0)) !== undefined) {
      plainResults.tell(call, result);
      return true;
    }
    return (await ledger.read(call.key))?.state.state === "final";
  }
}

/** Whether a consumer's filter takes a subject. Ours have a wildcard at their end or none. */
function covers(filter: string, subject: string): boolean {
  if (!filter.endsWith(".*")) return filter === subject;
  const end = filter.length - 1;
  return subject.startsWith(filter.slice(0, end)) && !subject.slice(end).includes(".");
}
