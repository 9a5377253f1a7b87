/** Calls of every manner, who brings what they wait for, and what became of each against what its tool did. */
import { setTimeout as pause } from "node:timers/promises";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { type ToolResult, ToolrigError } from "@toolrig/core";
import type { KvCallStore, NatsExecutor } from "@toolrig/nats";
import { effectsIn } from "./tally.ts";

export const MANNERS = ["once", "again", "later", "asks", "approved"] as const;
type Manner = (typeof MANNERS)[number];

interface Made {
  manner: Manner;
  number: number;
  executionId: string;
  result?: ToolResult;
  /** The result was brought and counts, by the word of a worker. */
  counted?: boolean;
}

/** How long a call may take after the last fault. */
const PATIENCE_MS = 180_000;
const BRING_MS = 500;
const AT_ONCE = 20;

export class MixedLoad {
  readonly made: Made[] = [];
  readonly #executor: NatsExecutor;
  readonly #wire: NatsConnection;
  readonly #bringing = new AbortController();
  /** A call is given all the time that there is while others are made. */
  #faultsUntil = Number.POSITIVE_INFINITY;

  private constructor(executor: NatsExecutor, wire: NatsConnection) {
    this.#executor = executor;
    this.#wire = wire;
  }

  static async open(executor: NatsExecutor, servers: readonly string[]): Promise<MixedLoad> {
    const wire = await connect({ servers: [...servers], reconnectTimeWait: 100, maxReconnectAttempts: -1 });
    const load = new MixedLoad(executor, wire);
    wire.subscribe("proof.token.*", {
      callback: (_, message) => {
        const number = Number(message.subject.slice("proof.token.".length));
        const made = load.made[number];
        if (made !== undefined) void load.#complete(made, message.json());
      },
    });
    await wire.flush();
    return load;
  }

  /** Makes calls until it is told to stop. Resolves when each is answered, or has had all the time that there is. */
  async run(width: number, goesOn: () => boolean): Promise<void> {
    const one = async () => {
      while (goesOn()) {
        const number = this.made.length;
        const manner = MANNERS[number % MANNERS.length] ?? "once";
        const made: Made = { manner, number, executionId: `proof.${manner}-${number}` };
        this.made.push(made);
        await this.#call(made);
      }
      this.#faultsUntil = Date.now();
    };
    await Promise.all(Array.from({ length: width }, one));
  }

  async close(): Promise<void> {
    this.#bringing.abort();
    await this.#wire.close();
  }

  async #call(made: Made): Promise<void> {
    const { manner, number, executionId } = made;
    const call = { id: `call_${number}`, name: manner, arguments: { number } };
    const result = this.#executor.call(call, { executionId }).then((came) => {
      made.result = came;
    });
    if (manner === "asks") void this.#answer(made);
    const late = async () => {
      do await pause(1_000, undefined, { ref: false });
      while (made.result === undefined && Date.now() - this.#faultsUntil < PATIENCE_MS);
    };
    await Promise.race([result, late()]);
  }

  async #complete(made: Made, { executionId, token }: { executionId: string; token: string }): Promise<void> {
    while (made.result === undefined && !this.#bringing.signal.aborted) {
      try {
        await this.#executor.remoteWaits.complete(executionId, token, made.number);
        made.counted = true;
        return;
      } catch (error) {
        // Refused for good: an earlier try counted whose answer was lost, or the call is over.
        if (ToolrigError.isInstance(error) && error.code === "COMPLETION_REFUSED") return;
        await pause(BRING_MS);
      }
    }
  }

  async #answer(made: Made): Promise<void> {
    while (made.result === undefined && !this.#bringing.signal.aborted) {
      await pause(BRING_MS);
      const now = await this.#executor
        .resultOf(made.executionId, { onWaiting: "return" })
        .catch(() => undefined);
      if (now?.waiting?.kind !== "question") continue;
      const answer = { by: { id: "ann" }, value: String(made.number) };
      await this.#executor.remoteWaits.answer(now.waiting.id, answer).catch(() => {});
    }
  }

  /** What went wrong, by kind. */
  async misses(folder: string, records: KvCallStore): Promise<Record<string, string[]>> {
    const effects = effectsIn(folder);
    const found: Record<string, string[]> = {
      "answered wrongly": [],
      "did not run, and ran": [],
      repeated: [],
      "value lost": [],
      "waits for ever": [],
      "ledger and answer differ": [],
      "no record of an unknown outcome": [],
      "record and ledger differ": [],
    };
    const miss = (kind: string, { manner, number, result }: Made, more = "") =>
      void found[kind]?.push(`${manner} ${number} (${result?.failure?.code ?? "ok"}) ${more}`);
    const known = recordsByExecution(await records.records());
    const check = async (made: Made) => {
      const { manner, number, executionId, result, counted } = made;
      if (result === undefined) return miss("waits for ever", made);
      const ran = effects.get(`${manner} ${number}`) ?? 0;
      const code = result.failure?.code;
      const isUnknown = code === "TOOL_OUTCOME_UNKNOWN";
      if (code === undefined && (result.value !== number || ran < 1))
        miss("answered wrongly", made, `${ran} effects`);
      if (code !== undefined && !isUnknown)
        miss(ran > 0 ? "did not run, and ran" : "answered wrongly", made, result.failure?.message);
      if (manner !== "again" && ran > 1) miss("repeated", made, `${ran} times`);
      if (counted === true && code !== undefined) miss("value lost", made, result.failure?.message);
      const entry = await this.#executor.resultOf(executionId);
      if (entry?.failure?.code !== code || entry?.value !== result.value)
        miss("ledger and answer differ", made, `ledger: ${entry?.failure?.code ?? entry?.value}`);
      const own = known.get(executionId) ?? [];
      if (isUnknown && !own.some(({ failure }) => failure?.kind === "unknown"))
        miss("no record of an unknown outcome", made, result.failure?.message);
      // What a worker refused that had lost the call, and what was given up for lost, is on record beside the outcome.
      const told = own.filter(({ attempts, failure }) => attempts > 0 && failure?.kind !== "unknown");
      if (told.length > 0 && !isUnknown && !told.some(({ failure }) => failure?.code === code))
        miss("record and ledger differ", made, own.map(({ failure }) => failure?.code ?? "ok").join());
    };
    const left = [...this.made];
    const next = async () => {
      for (let made = left.pop(); made !== undefined; made = left.pop()) await check(made);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    return found;
  }

  summary(): string {
    const unknown = this.made.filter(({ result }) => result?.failure?.kind === "unknown").length;
    const counted = this.made.filter((made) => made.counted === true).length;
    return `${this.made.length} calls, a fifth each of ${MANNERS.join(", ")}; ${counted} completions that count by the word of a worker; ${unknown} unknown outcomes`;
  }
}

function recordsByExecution(records: readonly { result: ToolResult }[]): Map<string, ToolResult[]> {
  const known = new Map<string, ToolResult[]>();
  for (const { result } of records)
    known.set(result.executionId, [...(known.get(result.executionId) ?? []), result]);
  return known;
}
