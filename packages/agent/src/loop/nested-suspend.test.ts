import { Executor, MemoryJournal, MemoryLedger, Registry, tool } from "@toolrig/core";
import { MemoryWaitStore } from "@toolrig/core/kit";
import { expect, test } from "vitest";
import { scriptedEngine } from "../engines/scripted.ts";
import { AgentLoop } from "./loop.ts";

const input = { type: "object", properties: { task: { type: "string" } } } as const;

/** Two loops, one the tool of the other, as one process has them. What is kept is shared by all processes. */
function world() {
  const kept = { ledger: new MemoryLedger(), waits: new MemoryWaitStore() };
  const journal = new MemoryJournal();
  const did: string[] = [];
  const book = tool({
    name: "book",
    description: "Book",
    input: { type: "object" },
    async execute(_, { ask }) {
      const day = await ask({ message: "Which day?" });
      did.push("booked");
      return day.status === "answered" ? day.value : day.status;
    },
  });
  const start = (onWaiting: "suspend" | "hold" | "continue") => {
    const tools = new Registry([book]);
    const executor = new Executor({ tools, ...kept });
    const asked: string[] = [];
    const says = (who: string, calls: { id: string; name: string; arguments: object }[], last: string) =>
      scriptedEngine(({ messages }) => {
        asked.push(who);
        return messages.some(({ role }) => role === "tool") ? last : { calls };
      });
    const inner = new AgentLoop({
      engine: says("inner", [{ id: "b", name: "book", arguments: {} }], "booked it"),
      tools,
      executor,
      journal,
    });
    tools.add(inner.asTool({ name: "assist", description: "Delegate", input }));
    const engine = says("outer", [{ id: "a", name: "assist", arguments: { task: "book" } }], "all done");
    const outer = new AgentLoop({ engine, tools, executor, journal, onWaiting });
    return { outer, executor, asked };
  };
  return { start, did, waits: kept.waits };
}

test("a run within is suspended with the one that started it, and resumed with it in another process", async () => {
  const { start, did, waits } = world();
  const here = start("suspend");
  const left = await here.outer.run("go", { runId: "r" }).outcome;
  expect(left).toMatchObject({
    status: "waiting",
    waits: [{ name: "assist", waiting: { kind: "question", note: "Which day?" } }],
  });
  expect(here.executor.health().inFlight).toBe(0);
  expect(here.asked).toEqual(["outer", "inner"]);
  const again = start("suspend");
  expect((await again.outer.resume("r").outcome).status).toBe("waiting");
  expect(again.asked).toEqual([]);
  const [question] = waits.list({ open: true });
  await again.executor.waits.answer(question?.id ?? "", { by: { id: "ann" }, value: "monday" });
  const there = start("suspend");
  expect(await there.outer.resume("r").outcome).toMatchObject({ status: "answered", text: "all done" });
  expect(there.asked).toEqual(["inner", "outer"]);
  expect(did).toEqual(["booked"]);
});

test.each(["hold", "continue"] as const)(
  "a run within is held where its caller's is (%s)",
  async (onWaiting) => {
    const { start, did, waits } = world();
    const { outer, executor } = start(onWaiting);
    const run = outer.run("go", { runId: "r" });
    await expect.poll(() => waits.list({ open: true, kind: "question" })).toHaveLength(1);
    const [question] = waits.list({ open: true, kind: "question" });
    await executor.waits.answer(question?.id ?? "", { by: { id: "ann" }, value: "monday" });
    expect((await run.outcome).status).toBe("answered");
    expect(did).toEqual(["booked"]);
  },
);
