import { setTimeout as pause } from "node:timers/promises";
import type { NatsConnection } from "@nats-io/transport-node";
import type { Executor, ToolResult, ToolSource } from "@toolrig/core";
import { failedResult, passQuestions, stoppedAt, waitId } from "@toolrig/core/kit";
import type { AckedPublisher } from "../../wire/acked-publisher.ts";
import type { CallLedger, LedgerEntry } from "../../wire/call-ledger.ts";
import type { CallMessage, WaitingState } from "../../wire/messages.ts";
import { pipelineIdOf } from "../../wire/names.ts";
import type { Payloads } from "../../wire/payload.ts";
import { asAsked, withExecution } from "../as-asked.ts";
import { commit } from "../deliver/commit.ts";
import type { DeliveryCounters } from "../deliver/counters.ts";
import type { RunningCalls } from "../deliver/running-calls.ts";
import type { PlainResults } from "../plain-results.ts";
import { callOf, type ParkedWait } from "./parked-wait.ts";
import type { ParkedWaits } from "./parked-waits.ts";

export interface ParkedCallsParts {
  worker: string;
  connection: NatsConnection;
  publisher: AckedPublisher;
  ledger: CallLedger;
  payloads: Payloads;
  plainResults: PlainResults;
  counters: DeliveryCounters;
  running: RunningCalls;
  source: ToolSource;
  /** Whether this worker has a tool, and may run it. */
  has(name: string): boolean;
  executor: Executor;
}

/** Whoever sees a call through does so at once. After so long it is taken to have died over it. */
const SETTLING_MS = 4_000;
/** Its worker has parked it and is about to say so. */
const PARKING_MS = 200;
const TRIES = 10;
const AT_ONCE = 100;

type Found = LedgerEntry & { state: WaitingState };

/** The calls of the fleet that wait, in its ledger: who sees one through, what it came to, and how long it is remembered. */
export class ParkedCalls {
  readonly #parts: ParkedCallsParts;
  readonly #waits: () => ParkedWaits;
  readonly #cancelling = new Set<string>();

  constructor(parts: ParkedCallsParts, waits: () => ParkedWaits) {
    this.#parts = parts;
    this.#waits = waits;
  }

  /**
   * What a call waits for whose worker did not get to say so: a result, or an answer to a question from which its code never
   * went on. Undefined when it does not wait.
   */
  async waitOf(call: CallMessage): Promise<ParkedWait | undefined> {
    const wait = await this.#waits().get(waitId(call.pipelineId, "result"));
    return wait?.fleet?.key === call.key ? wait : stoppedAt(this.#of(call), call.pipelineId);
  }

  /** Stores that the code of a call is started again with its answers, before it is. */
  pass(call: CallMessage): Promise<void> {
    return passQuestions(this.#of(call), call.pipelineId);
  }

  /** The waits of a call itself, and none that its worker holds for it. */
  #of({ key }: CallMessage): Pick<ParkedWaits, "list" | "revise"> {
    const waits = this.#waits();
    return {
      list: async (filter) =>
        (await waits.list(filter)).filter(({ fleet }: ParkedWait) => fleet?.key === key),
      revise: (id, revise) => waits.revise(id, revise),
    };
  }

  /** Whether a question of the call has no answer yet. */
  async isAsking(call: CallMessage): Promise<boolean> {
    const { pipelineId: executionId } = call;
    return (await this.#of(call).list({ executionId, kind: "question", open: true })).length > 0;
  }

  /** Whether what a call waited for has come, and it is to be seen through. */
  isParked(executionId: string): boolean {
    return this.#waits().endedCall(executionId) !== undefined;
  }

  /**
   * Whether what came for a call counts: it is not over, and this worker is who sees it through. Rejects when another does,
   * or its worker has not parked it yet; it is then tried again. A call that the fleet has no entry of is only its worker's.
   */
  async begin(executionId: string): Promise<boolean> {
    const { worker, ledger } = this.#parts;
    const fleet = this.#waits().endedCall(executionId);
    if (fleet === undefined) return true;
    for (let tries = 0; tries < TRIES; tries++) {
      const found = await ledger.insist(fleet.key);
      if (found === undefined || found.state.state === "lost") return true;
      if (found.state.state === "final") return false;
      if (found.state.state === "started") {
        await pause(PARKING_MS);
        continue;
      }
      const { settler } = found.state;
      const isTaken = settler !== undefined && settler.worker !== worker;
      if (isTaken && Date.now() - settler.at < SETTLING_MS)
        throw new Error(`worker ${settler.worker} sees to execution ${executionId}`);
      const state: WaitingState = { ...found.state, settler: { worker, at: Date.now() } };
      if ((await ledger.write(fleet.key, JSON.stringify(state), found.revision)) !== undefined) return true;
    }
    throw new Error(`the worker of execution ${executionId} has not parked it yet`);
  }

  /** Writes what a call came to that waited, from where the server tells its caller. Nothing replaces an outcome. */
  async settled(executionId: string, result: ToolResult): Promise<void> {
    const { ledger, source, plainResults } = this.#parts;
    const waits = this.#waits();
    const fleet = waits.endedCall(executionId) ?? (await waits.get(waitId(executionId, "result")))?.fleet;
    if (fleet === undefined) return;
    const call = callOf(fleet);
    const tool = source.get(call.call.name, call.range) ?? source.get(call.call.name);
    for (let tries = 0; tool !== undefined && tries < TRIES; tries++) {
      const found = await ledger.insist(fleet.key);
      if (found?.state.state === "final") return;
      const revision = found?.revision ?? 0;
      const asked = asAsked(call, result);
      if ((await commit({ call, tool, revision }, asked, this.#parts)) === "late") continue;
      return plainResults.tell(call, asked);
    }
    throw new Error(`the outcome of execution ${executionId} could not be written`);
  }

  /** What is written to is remembered. */
  async keep(key: string): Promise<void> {
    const { ledger } = this.#parts;
    const found = await this.#waiting(key);
    if (found === undefined) return;
    await ledger.write(key, JSON.stringify({ ...found.state, at: Date.now() }), found.revision);
  }

  /** Ends a call that waits and that its caller does not want any more. Every worker with its tool tries, and one does. */
  async cancel(key: string): Promise<void> {
    // Whoever says it says it again: a flood of it costs nobody more than this.
    if (this.#parts.running.has(key) || this.#cancelling.has(key) || this.#cancelling.size >= AT_ONCE) return;
    this.#cancelling.add(key);
    try {
      await this.#cancel(key);
    } finally {
      this.#cancelling.delete(key);
    }
  }

  async #cancel(key: string): Promise<void> {
    const { has, executor, ledger, payloads } = this.#parts;
    const found = await this.#waiting(key);
    if (found === undefined || !has(found.state.result.name)) return;
    const { fingerprint, result, attempt } = found.state;
    const { executionId, callId: id, name, waiting } = result;
    // The entry is its caller's to write: of what it says, nothing decides which waits end.
    const pipelineId = pipelineIdOf(key);
    const wait = await this.#waits().get(withExecution(pipelineId, waiting.id));
    if (wait?.fleet?.key !== key || !has(wait.name)) return;
    if (wait.kind === "question") {
      const message = `The call was cancelled while ${name} waited for an answer.`;
      const ended = failedResult({ id, name }, executionId, { code: "TOOL_CANCELLED", message }, attempt);
      if (
        (await ledger.write(key, await payloads.entry(key, fingerprint, ended), found.revision)) === undefined
      )
        return;
    }
    await executor.waits.cancel(pipelineId, { reason: "its caller cancelled" });
  }

  async #waiting(key: string): Promise<Found | undefined> {
    const found = await this.#parts.ledger.read(key);
    return found?.state.state === "waiting" ? (found as Found) : undefined;
  }
}
