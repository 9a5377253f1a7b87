import { Executor, MemoryJournal, MemoryLedger, type ToolResult, tool } from "@toolrig/core";
import { canonicalJson, hashText, type Intent, type JournalEntry } from "@toolrig/core/kit";
import { expect, test } from "vitest";
import { scriptedEngine } from "../engines/scripted.ts";
import type { EngineRequest } from "../model/engine.ts";
import { ModelFault } from "../model/faults.ts";
import { transcriptProblems } from "../model/transcript.ts";
import { AgentLoop } from "./loop.ts";
import type { Budgets } from "./options.ts";

const input = { type: "object", properties: { to: { type: "string" } }, required: ["to"] } as const;
const usage = { inputTokens: 6, outputTokens: 4 };

/** A process that dies at the `dieAt`th append to its journal: nothing is written after, neither there nor to its ledger. */
class Life {
  appends = 0;
  dieAt = Number.POSITIVE_INFINITY;

  write(): void {
    if (this.appends >= this.dieAt) throw new Error("the process died here");
  }
}

class MortalJournal extends MemoryJournal {
  readonly life = new Life();

  override append(runId: string, entries: readonly JournalEntry[], expected?: number): void {
    this.life.appends += 1;
    this.life.write();
    super.append(runId, entries, expected);
  }
}

/** What was begun in a life that is over is open to the next one. */
class MortalLedger extends MemoryLedger {
  readonly #life: Life;
  #isDead = false;

  constructor(life: Life) {
    super();
    this.#life = life;
  }

  /** The same ledger as the next process has it. The dead one writes nothing more, also what it still knows. */
  reborn(): MemoryLedger {
    this.#isDead = true;
    const book = {};
    return new Proxy<MemoryLedger>(this, {
      get: (target, key) => {
        if (key === "book") return book;
        const value: unknown = Reflect.get(MemoryLedger.prototype, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  #write(): void {
    if (this.#isDead) throw new Error("the process died here");
    this.#life.write();
  }

  override intend(intent: Intent) {
    this.#write();
    return super.intend(intent);
  }

  override complete(id: string, result: ToolResult) {
    this.#write();
    return super.complete(id, result);
  }

  override fail(id: string, result: ToolResult) {
    this.#write();
    return super.fail(id, result);
  }

  override unknown(id: string, result: ToolResult) {
    this.#write();
    return super.unknown(id, result);
  }

  override withdraw(id: string) {
    this.#write();
    super.withdraw(id);
  }
}

const send = (to: string) => ({ id: to, name: "send", arguments: { to } });

/** What is said depends on the transcript alone: four letters within, one without. */
const inner = ({ messages }: EngineRequest) => {
  const turn = messages.filter(({ role }) => role === "assistant").length;
  const letters = [send("ann"), send("bob"), send("cy"), send("dan")][turn];
  return letters === undefined ? { text: "all four are sent", usage } : { calls: [letters], usage };
};
const outer = ({ messages }: EngineRequest) => {
  const turn = messages.filter(({ role }) => role === "assistant").length;
  if (turn === 0) return { calls: [{ id: "d", name: "delegate", arguments: { to: "all" } }], usage };
  return turn === 1 ? { calls: [send("eve")], usage } : { text: "done", usage };
};

/** Two loops on one journal and ledger, as a program makes them each time it starts. */
function program(journal: MemoryJournal, ledger: MemoryLedger, sent: string[], budgets: Budgets = {}) {
  const sender = tool({
    name: "send",
    description: "Send a letter",
    input,
    execute: ({ to }) => {
      sent.push(to);
      return `sent to ${to}`;
    },
  });
  const executor = { ledger };
  const child = new AgentLoop({ engine: scriptedEngine(inner), tools: [sender], executor, journal });
  const delegate = child.asTool({ name: "delegate", description: "Have letters sent", input });
  return new AgentLoop({
    engine: scriptedEngine(outer),
    tools: [delegate, sender],
    executor,
    journal,
    budgets,
  });
}

async function live(dieAt: number, budgets?: Budgets) {
  const sent: string[] = [];
  const journal = new MortalJournal();
  const { life } = journal;
  const ledger = new MortalLedger(life);
  life.dieAt = dieAt;
  const first = await program(journal, ledger, sent, budgets).run("go", { runId: "r" }).outcome;
  const { appends } = life;
  life.dieAt = Number.POSITIVE_INFINITY;
  const outcome =
    appends < dieAt ? first : await program(journal, ledger.reborn(), sent, budgets).resume("r").outcome;
  expect(transcriptProblems(outcome.messages)).toEqual([]);
  return { appends, sent, outcome, journal };
}

test("a run that dies while the run within is at work comes to the same end, with nothing done twice", async () => {
  const { appends, journal } = await live(Number.POSITIVE_INFINITY);
  expect(appends).toBeGreaterThan(12);
  expect(journal.runs()).toHaveLength(2);
  for (let dieAt = 2; dieAt <= appends; dieAt++) {
    const { sent, outcome } = await live(dieAt);
    expect({ dieAt, sent }).toEqual({ dieAt, sent: ["ann", "bob", "cy", "dan", "eve"] });
    expect(outcome).toMatchObject({ status: "answered", text: "done" });
    expect(JSON.stringify(outcome.messages)).toContain("all four are sent");
  }
});

test("what a run within had spent before a crash counts once", async () => {
  const { appends, outcome } = await live(Number.POSITIVE_INFINITY);
  expect(outcome.status).toBe("answered");
  // Three calls of tokens without, five within; one call without, four within, and one more.
  for (const [budgets, status] of [
    [{ tokens: 80, calls: 6 }, "answered"],
    [{ tokens: 69, calls: 6 }, "failed"],
  ] as const)
    for (let dieAt = 2; dieAt <= appends; dieAt++) {
      const { outcome: ended, sent } = await live(dieAt, budgets);
      expect({ dieAt, status: ended.status }).toEqual({ dieAt, status });
      if (status === "answered") expect(sent).toHaveLength(5);
    }
});

test("a run within that is tried again goes on where it was, and is paid once", async () => {
  let letters = 0;
  const sender = tool({
    name: "send",
    description: "Send",
    input,
    safety: { sideEffects: "write", idempotent: true },
    execute: () => `letter ${++letters}`,
  });
  let broken = true;
  const engine = scriptedEngine((request) => {
    const reply = inner(request);
    if (!("text" in reply) || !broken) return reply;
    broken = false;
    return { error: new ModelFault("overloaded", "busy") };
  });
  const journal = new MemoryJournal();
  const child = new AgentLoop({ engine, tools: [sender], journal, retry: { attempts: 1 } });
  const safety = { sideEffects: "write", idempotent: true } as const;
  const retry = { backoff: 1 };
  const delegate = child.asTool({ name: "delegate", description: "Delegate", input, safety, retry });
  for (const [tokens, status] of [
    [80, "answered"],
    [69, "failed"],
  ] as const) {
    broken = true;
    letters = 0;
    const parent = new AgentLoop({
      engine: scriptedEngine(outer),
      tools: [delegate, sender],
      budgets: { tokens },
    });
    const outcome = await parent.run("go").outcome;
    expect(outcome.status).toBe(status);
    expect(JSON.stringify(outcome.messages)).toContain("all four are sent");
    expect(letters).toBe(status === "answered" ? 5 : 4);
  }
});

test("without a journal and a ledger nobody knows what a run within has done, and it does not begin again", async () => {
  const ledger = new MemoryLedger();
  let runs = 0;
  const engine = scriptedEngine(() => {
    runs += 1;
    return "done";
  });
  const delegate = (loop: AgentLoop) => loop.asTool({ name: "delegate", description: "Delegate", input });
  const call = { id: "c", name: "delegate", arguments: { to: "all" } };
  const begin = (id: string, made: ReturnType<typeof delegate>) => {
    const executor = new Executor({ tools: [made], ledger });
    const args = call.arguments;
    const fingerprint = hashText(`delegate@:${canonicalJson(args)}`);
    const known = { name: "delegate", version: undefined, args, callId: "c", runId: undefined };
    ledger.intend({ executionId: id, fingerprint, ...known });
    return executor.call(call, { executionId: id });
  };
  const plain = await begin("exec_1", delegate(new AgentLoop({ engine })));
  expect(plain.failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
  expect(runs).toBe(0);
  const journal = new MemoryJournal();
  const forgetful = await begin("exec_3", delegate(new AgentLoop({ engine, journal })));
  expect(forgetful.failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
  const journaled = await begin("exec_2", delegate(new AgentLoop({ engine, journal, executor: { ledger } })));
  expect(journaled).toMatchObject({ isError: false, value: "done" });
});
