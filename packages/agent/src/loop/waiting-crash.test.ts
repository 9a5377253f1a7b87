import { ApprovalQueue, deferred, Executor, MemoryJournal, MemoryLedger, tool } from "@toolrig/core";
import { type JournalEntry, MemoryApprovalStore, MemoryWaitStore, type Wait } from "@toolrig/core/kit";
import { expect, test } from "vitest";
import { scriptedEngine } from "../engines/scripted.ts";
import { transcriptProblems } from "../model/transcript.ts";
import { AgentLoop } from "./loop.ts";

const input = { type: "object" } as const;
const ann = { id: "ann" };

/** A journal whose process dies at one of its writes: before it, or right after it. */
class MortalJournal extends MemoryJournal {
  writes = 0;
  dead = false;
  readonly #at: number;
  readonly #before: boolean;

  constructor(at: number, before: boolean) {
    super();
    this.#at = at;
    this.#before = before;
  }

  override append(runId: string, entries: readonly JournalEntry[], expected?: number): void {
    if (this.dead) throw new Error("the process is dead");
    this.writes += 1;
    const dies = this.writes === this.#at;
    this.dead ||= dies;
    if (dies && this.#before) throw new Error("the process died before the write");
    super.append(runId, entries, expected);
    if (dies) throw new Error("the process died after the write");
  }
}

function world(journal: MortalJournal, onWaiting: "suspend" | "continue") {
  const waits = new MemoryWaitStore();
  const ledger = new MemoryLedger();
  const did: string[] = [];
  const spec = { description: "Does it", input };
  const tools = [
    tool({ ...spec, name: "pay", approval: true, execute: () => did.push("paid") && "paid" }),
    tool({ ...spec, name: "send", execute: () => did.push("sent") && "sent" }),
    tool({
      ...spec,
      name: "book",
      async execute(_, { ask }) {
        const { status } = await ask({ message: "Which day?" });
        did.push("booked");
        return status;
      },
    }),
    tool({ ...spec, name: "deploy", execute: () => did.push("deploying") && deferred() }),
  ];
  const calls = ["pay", "send", "book", "deploy"].map((name) => ({ id: name, name }));
  const start = () => {
    const approvals = new ApprovalQueue({ store: new MemoryApprovalStore(waits), pollEvery: "5ms" });
    const executor = new Executor({ tools, ledger, waits, approve: approvals.approver });
    // What it says follows from what it has read: a model that is asked again goes on from there.
    const engine = scriptedEngine(({ messages }) =>
      messages.some(({ role }) => role === "tool") ? `read ${messages.length}` : { calls },
    );
    const loop = new AgentLoop({ engine, tools, executor, journal, onWaiting });
    const end = async ({ kind, executionId }: Wait) => {
      if (kind === "approval") await approvals.approve(executionId, { by: ann });
      else if (kind === "question") await executor.waits.answer(executionId, { by: ann, value: "monday" });
      else await executor.waits.complete(executionId, { by: ann }, "live");
    };
    return { loop, executor, end };
  };
  return { start, waits, did };
}

const cases = (["suspend", "continue"] as const).flatMap((mode) =>
  [true, false].flatMap((before) => Array.from({ length: 9 }, (_, at) => [mode, before, at + 1] as const)),
);

test.each(cases)(
  "%s, dead before (%s) or after write %i: each effect once, each result once",
  async (mode, before, at) => {
    const journal = new MortalJournal(at, before);
    const { start, waits, did } = world(journal, mode);
    let here = start();
    let run = here.loop.run("go", { runId: "r" });
    for (let life = 0; life < 12; life++) {
      let over = false;
      const outcome = run.outcome.finally(() => {
        over = true;
      });
      // Whatever comes to wait is ended at once, while the run is alive or after it.
      while (!over) {
        for (const wait of waits.list({ open: true })) await here.end(wait).catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      const { status, messages } = await outcome;
      for (const wait of waits.list({ open: true })) await here.end(wait);
      if (status === "answered" && !journal.dead) {
        expect(transcriptProblems(messages)).toEqual([]);
        const given = messages.flatMap((message) => {
          if (message.role === "tool") return message.results.map(({ callId }) => callId);
          return message.role === "user" && message.result !== undefined
            ? [`late ${message.result.callId}`]
            : [];
        });
        expect(new Set(given).size).toBe(given.length);
        expect(given.slice(0, 4)).toEqual(["pay", "send", "book", "deploy"]);
        expect(did.sort()).toEqual(["booked", "deploying", "paid", "sent"]);
        return;
      }
      journal.dead = false;
      here = start();
      run = journal.header("r") === undefined ? here.loop.run("go", { runId: "r" }) : here.loop.resume("r");
    }
    throw new Error("the run came to no end");
  },
);
