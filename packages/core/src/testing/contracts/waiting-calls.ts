import assert from "node:assert/strict";
import type { CallOptions } from "../../call/call.ts";
import type { ToolResult } from "../../call/result.ts";
import type { Duration } from "../../options/duration.ts";
import { Executor } from "../../pipeline/executor.ts";
import { reconcileOpen } from "../../recording/reconcile-open.ts";
import type { Ledger } from "../../stores/ledger.ts";
import type { WaitStore } from "../../stores/waits.ts";
import type { ToolContext } from "../../tool/context.ts";
import { tool } from "../../tool/define-tool.ts";
import { type ContractCase, contract, type MakeSubject } from "../contract.ts";
import { crashableLedger, crashableWaits, type StorePoint } from "../crash-points.ts";

/** Stores that calls wait in. */
export interface WaitingStores {
  ledger: Ledger;
  waits: WaitStore;
}

const ann = { id: "ann" };
const never = () => new Promise<never>(() => {});

interface ProcessOptions {
  code?: Code;
  /** Stands around every write. */
  point?: StorePoint;
  /** Hides that both stores are kept in one place. */
  isApart?: boolean;
  answerWithin?: Duration;
}

/** One process: its stores, and a tool that asks before it books. */
class Process {
  readonly executor: Executor;
  readonly #ledger: Ledger;
  readonly #waits: WaitStore;
  readonly #ran: string[];
  readonly #tools;

  constructor(
    { ledger, waits }: WaitingStores,
    ran: string[],
    { code = askThenBook, point = () => {}, isApart = false, answerWithin = "10s" }: ProcessOptions = {},
  ) {
    this.#ran = ran;
    const crashable = crashableLedger(ledger, point);
    this.#ledger = isApart ? { ...crashable, book: {} } : crashable;
    this.#waits = crashableWaits(waits, point);
    const book = tool({
      name: "book",
      description: "Book",
      input: { type: "object" },
      execute: (_, context) => code(context, this.#ran),
    });
    this.#tools = [book];
    this.executor = new Executor({
      tools: this.#tools,
      ledger: this.#ledger,
      waits: this.#waits,
      answerWithin,
    });
  }

  call(options: CallOptions = {}): Promise<ToolResult> {
    return this.executor.call({ id: "c", name: "book" }, { executionId: "e", ...options });
  }

  park(): Promise<ToolResult> {
    return this.call({ onWaiting: "return" });
  }

  answer(): Promise<void> {
    return this.executor.waits.answer("e", { by: ann, value: "monday" });
  }

  /** What a process that starts makes of what it finds; undefined when the intent counts as alive, as in memory. */
  async reconciled(): Promise<string | undefined> {
    const [found] = await reconcileOpen(this.#ledger, this.#tools, this.#waits);
    return found?.outcome;
  }

  /** Resolves when the question is stored. */
  async asked(): Promise<void> {
    await until(async () => (await this.#waits.list({ executionId: "e", kind: "question" })).length > 0);
  }
}

type Code = (context: ToolContext, ran: string[]) => Promise<unknown>;

const askThenBook: Code = async ({ ask }, ran) => {
  ran.push("start");
  const answer = await ask({ message: "Which day?" });
  ran.push("booked");
  return answer.status;
};

/** The same in a process that dies after the effect. */
const askBookAndHang: Code = async (context, ran) => {
  await askThenBook(context, ran);
  return never();
};

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A process that stops at a write for good, as one that is killed there. */
function diesAt(stage: string): { point: StorePoint; reached: Promise<void> } {
  let reach = () => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const point = (at: string) => {
    if (at !== stage) return;
    reach();
    return never();
  };
  return { point, reached };
}

/**
 * What becomes of a call that asked when its process dies: one that never went on waits for its answer and runs once; one that
 * went on is in doubt. For every ledger with its store of waits; `reopen` is another process after the first one died.
 */
export function waitingCallsContract(make: MakeSubject<WaitingStores>): ContractCase[] {
  return contract(make, {
    "a call that asked waits, though its process died before the ledger said so": async (
      stores,
      { reopen },
    ) => {
      if (reopen === undefined) return;
      const ran: string[] = [];
      const { point, reached } = diesAt("before park");
      const first = new Process(stores, ran, { point, isApart: true });
      void first.park();
      await reached;
      const second = new Process(await reopen(), ran);
      assert.ok(["waiting", undefined].includes(await second.reconciled()));
      assert.equal((await second.park()).waiting?.kind, "question");
      await second.answer();
      assert.equal((await second.park()).value, "answered");
      assert.deepEqual(ran, ["start", "start", "booked"]);
    },
    "a call that asked waits, though its answer came before the ledger said so": async (
      stores,
      { reopen },
    ) => {
      if (reopen === undefined) return;
      const ran: string[] = [];
      const { point, reached } = diesAt("before park");
      const first = new Process(stores, ran, { point, isApart: true });
      void first.park();
      await reached;
      const second = new Process(await reopen(), ran);
      await second.answer();
      assert.ok(["waiting", undefined].includes(await second.reconciled()));
      assert.equal((await second.park()).value, "answered");
      assert.deepEqual(ran, ["start", "start", "booked"]);
    },
    "the code of a call that is held does not run before the answer": async (stores, { reopen }) => {
      if (reopen === undefined) return;
      const ran: string[] = [];
      const first = new Process(stores, ran);
      assert.equal((await first.park()).waiting?.kind, "question");
      const told: string[] = [];
      const second = new Process(await reopen(), ran);
      second.executor.events.on(({ type }) => void told.push(type));
      void second.call();
      await until(() => told.includes("call.waiting"));
      const third = new Process(await reopen(), ran);
      assert.equal(await third.reconciled(), undefined);
      assert.equal((await third.park()).waiting?.kind, "question");
      await third.answer();
      assert.equal((await third.park()).value, "answered");
      assert.deepEqual(ran, ["start", "start", "booked"]);
    },
    "a call that went on with its answer and died is in doubt": async (stores, { reopen }) => {
      if (reopen === undefined) return;
      const ran: string[] = [];
      const first = new Process(stores, ran, { code: askBookAndHang });
      void first.call();
      await first.asked();
      await first.answer();
      await until(() => ran.includes("booked"));
      const second = new Process(await reopen(), ran);
      assert.ok(["unknown", undefined].includes(await second.reconciled()));
      assert.equal((await second.park()).failure?.code, "TOOL_OUTCOME_UNKNOWN");
      assert.deepEqual(ran, ["start", "booked"]);
    },
    "a call that was started again with its answer and died is in doubt": async (stores, { reopen }) => {
      if (reopen === undefined) return;
      const ran: string[] = [];
      const first = new Process(stores, ran);
      await first.park();
      await first.answer();
      // Which way the code goes this time is not known: it need not ask again.
      const code: Code = () => {
        ran.push("again");
        return never();
      };
      const second = new Process(await reopen(), ran, { code });
      void second.park();
      await until(() => ran.includes("again"));
      const third = new Process(await reopen(), ran);
      assert.ok(["unknown", undefined].includes(await third.reconciled()));
      assert.equal((await third.park()).failure?.code, "TOOL_OUTCOME_UNKNOWN");
      assert.deepEqual(ran, ["start", "again"]);
    },
    "a call that reported an effect before it asked and died is in doubt": async (stores, { reopen }) => {
      if (reopen === undefined) return;
      const ran: string[] = [];
      const code: Code = async (context, effects) => {
        effects.push("paid");
        context.effect({ type: "custom", name: "paid", data: 1 });
        return askThenBook(context, effects);
      };
      const first = new Process(stores, ran, { code });
      void first.park();
      await first.asked();
      const second = new Process(await reopen(), ran);
      assert.ok(["unknown", undefined].includes(await second.reconciled()));
      assert.equal((await second.park()).failure?.code, "TOOL_OUTCOME_UNKNOWN");
      assert.deepEqual(ran, ["paid", "start"]);
    },
    "a second question that the ledger did not hear of is waited for, too": async (stores, { reopen }) => {
      if (reopen === undefined) return;
      const ran: string[] = [];
      const code: Code = async ({ ask }, effects) => {
        await ask({ message: "Which day?" });
        return askThenBook({ ask: () => ask({ message: "Which seat?" }) } as unknown as ToolContext, effects);
      };
      const first = new Process(stores, ran, { code });
      await first.park();
      await first.answer();
      const { point, reached } = diesAt("before park");
      const second = new Process(await reopen(), ran, { code, point, isApart: true });
      void second.park();
      await reached;
      const third = new Process(await reopen(), ran, { code });
      assert.ok(["waiting", undefined].includes(await third.reconciled()));
      assert.equal((await third.park()).waiting?.note, "Which seat?");
      await third.answer();
      assert.equal((await third.park()).value, "answered");
      assert.deepEqual(ran, ["start", "start", "booked"]);
    },
    "code whose question could not be stored in time does not go on": async (stores) => {
      const ran: string[] = [];
      const { point } = diesAt("after park");
      const code: Code = async ({ ask }, effects) => {
        await ask({ message: "Which day?" }).catch(() => {});
        return effects.push("booked");
      };
      const process = new Process(stores, ran, { code, point, isApart: true, answerWithin: "50ms" });
      assert.equal((await process.park()).failure?.code, "TOOL_UNAVAILABLE");
      assert.deepEqual(ran, []);
    },
  });
}
