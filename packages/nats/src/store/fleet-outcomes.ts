import { type KV, Kvm } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import { type Principal, type ToolResult, ToolrigError } from "@toolrig/core";
import { check, failedResult, matchesWait, newId, type Wait, type WaitFilter } from "@toolrig/core/kit";
import { isAlive } from "../fleet/is-alive.ts";
import { type FleetNames, type FleetOptions, setUp } from "../fleet/setup.ts";
import { AckedPublisher } from "../wire/acked-publisher.ts";
import { CallLedger, type LedgerEntry } from "../wire/call-ledger.ts";
import { leave, type NatsOptions, open } from "../wire/connection.ts";
import { type ExecutionState, type FinalState, readState } from "../wire/messages.ts";
import { keyOf } from "../wire/names.ts";
import { Payloads } from "../wire/payload.ts";
import { KvWaits } from "./waits.ts";

/** A call of a fleet without a known outcome. */
export interface DoubtfulCall {
  /** Its key in the fleet's ledger, which has its caller's name and its execution id. */
  executionId: string;
  /** "running": its worker is alive and will tell. "open": its worker is gone. "unknown": it was answered so. */
  state: "running" | "open" | "unknown";
  /** Since when, in epoch milliseconds. */
  at: number;
  /** Absent while it is not over: the ledger has no name then. */
  name?: string;
  /** The worker that started it, while it is not over. */
  worker?: string;
  /** What its caller was told. */
  message?: string;
}

export interface FleetSettlement {
  outcome: "happened" | "never-ran";
  by: Principal;
  /** What was seen. */
  why: string;
}

const AT_ONCE = 64;

/** For the operator of a fleet: calls that are in doubt or wait, in the fleet's own ledger. */
export class FleetOutcomes {
  readonly #connection: NatsConnection;
  readonly #names: FleetNames;
  readonly #entries: KV;
  readonly #publisher: AckedPublisher;
  readonly #ledger: CallLedger;
  #waits: Promise<KvWaits> | undefined;

  private constructor(
    connection: NatsConnection,
    names: FleetNames,
    entries: KV,
    publisher: AckedPublisher,
    ledger: CallLedger,
  ) {
    this.#connection = connection;
    this.#names = names;
    this.#entries = entries;
    this.#publisher = publisher;
    this.#ledger = ledger;
  }

  static async connect({
    nats,
    fleet = {},
  }: {
    nats: NatsOptions;
    fleet?: FleetOptions;
  }): Promise<FleetOutcomes> {
    const connection = await open(nats, newId("operator"));
    try {
      const names = await setUp(connection, fleet);
      const publisher = new AckedPublisher(connection, nats);
      const ledger = await CallLedger.open(connection, publisher, { ledger: names.ledger, from: "leader" });
      const entries = await new Kvm(connection).open(names.ledger, { allow_direct: true });
      return new FleetOutcomes(connection, names, entries, publisher, ledger);
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Calls that run, were lost with their worker, or were answered `TOOL_OUTCOME_UNKNOWN`; the oldest first. Reads the whole ledger. */
  async inDoubt(): Promise<DoubtfulCall[]> {
    const found: DoubtfulCall[] = [];
    const begun: { key: string; worker: string; at: number }[] = [];
    for await (const { key, operation, value } of await this.#entries.history()) {
      const state = operation === "PUT" ? stateIn(value) : undefined;
      if (state?.state === "started") begun.push({ key, worker: state.worker, at: state.at });
      const lost = state?.state === "final" ? unknownIn(state) : undefined;
      if (state !== undefined && lost !== undefined)
        found.push({
          executionId: key,
          state: "unknown",
          at: state.at,
          name: lost.name,
          message: messageIn(lost),
        });
    }
    const look = async () => {
      for (let call = begun.pop(); call !== undefined; call = begun.pop()) {
        const { key: executionId, worker, at } = call;
        const alive = await isAlive(this.#connection, worker, executionId);
        found.push({ executionId, state: alive ? "running" : "open", at, worker });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, look));
    return found.sort((a, b) => a.at - b.at || (a.executionId < b.executionId ? -1 : 1));
  }

  /** What calls of the fleet wait for, whichever worker parked them. */
  async waiting(filter: WaitFilter = { open: true }): Promise<Wait[]> {
    this.#waits ??= KvWaits.open(this.#connection, {
      name: this.#names.waits,
      replicas: this.#names.replicas,
      ttlMs: Number.isFinite(this.#names.ledgerTtlMs) ? 2 * this.#names.ledgerTtlMs : 0,
    });
    return (await (await this.#waits).list(filter)).filter((wait) => matchesWait(wait, filter));
  }

  /**
   * Replaces an unknown outcome by the word of a person, for all who ask for the result from now on. The execution is over either way: a
   * call that never ran is made again under another id. Throws `OPTION_INVALID` when there is nothing to settle.
   */
  async settle(executionId: string, settlement: FleetSettlement): Promise<void> {
    const { outcome, by, why } = settlement;
    check.oneOf("outcome", outcome, ["happened", "never-ran"]);
    check.string("why", why);
    const [key, found] = await this.#entryOf(executionId);
    const lost = await this.#lostIn(key, found);
    if (found === undefined || lost === undefined)
      throw nothingToSettle(
        executionId,
        found === undefined ? "the ledger does not know it" : "it is not in doubt",
      );
    const payloads = new Payloads(this.#connection, { ...this.#names, from: "leader" });
    const entry = await payloads.entry(
      key,
      found.state.fingerprint ?? "",
      settled(lost, { outcome, by, why }),
    );
    if ((await this.#ledger.write(key, entry, found.revision)) === undefined)
      throw nothingToSettle(executionId, "somebody wrote its outcome at the same moment");
  }

  async close(): Promise<void> {
    if (this.#waits !== undefined) (await this.#waits).close();
    await leave(this.#connection);
    this.#publisher.close();
  }

  /** By its key, or by the id that a caller without a name gave it. */
  async #entryOf(executionId: string): Promise<[string, LedgerEntry | undefined]> {
    const key = keyOf(executionId);
    return [key, await this.#ledger.read(key)];
  }

  /** The unknown result of a call, also of one whose worker is gone and whose caller did not say so. */
  async #lostIn(key: string, found: LedgerEntry | undefined): Promise<ToolResult | undefined> {
    if (found?.state.state === "final") return unknownIn(found.state);
    if (found?.state.state !== "started" || (await isAlive(this.#connection, found.state.worker, key, 2_000)))
      return undefined;
    const executionId = key.slice(key.indexOf(".") + 1);
    return failedResult({ id: executionId, name: "" }, key, { code: "TOOL_OUTCOME_UNKNOWN", message: "" });
  }
}

function stateIn(value: Uint8Array): ExecutionState | undefined {
  try {
    return readState(new TextDecoder().decode(value));
  } catch {
    return undefined;
  }
}

/** A result that is too large for the ledger is known. */
function unknownIn(state: FinalState): ToolResult | undefined {
  return "result" in state && state.result.failure?.kind === "unknown" ? state.result : undefined;
}

function messageIn({ failure }: ToolResult): string {
  return failure?.message ?? "";
}

function settled(lost: ToolResult, { outcome, by, why }: FleetSettlement): ToolResult {
  const text = `${by.id} says that it ${outcome === "happened" ? "happened" : "never ran"}: ${why}`;
  const details = { settled: outcome, by: by.id, why };
  const { callId: id, name, executionId, attempts } = lost;
  const result = failedResult({ id, name }, executionId, { code: "TOOL_CANCELLED", message: text }, attempts);
  if (outcome === "never-ran") return { ...result, attempts: 0, details };
  const { failure: _, ...happened } = result;
  return { ...happened, isError: false, content: [{ type: "text", text }], details };
}

function nothingToSettle(executionId: string, why: string): ToolrigError {
  return new ToolrigError(
    "OPTION_INVALID",
    `There is nothing to settle about ${executionId}: ${why}. "toolrig open --nats" lists what is in doubt.`,
  );
}
