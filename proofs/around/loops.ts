/** Calls that a model makes in a loop, also in one that goes on where another process or another run was. */
import { AgentLoop, type AgentLoopOptions, type Run, scriptedEngine } from "@toolrig/agent";
import type { CallExecutor, ToolResult } from "@toolrig/core";
import type { Journal } from "@toolrig/core/kit";
import type { Asked, House } from "./house.ts";
import type { Way } from "./way.ts";

/** A loop whose model makes these calls, one a turn, and then is done. */
function loopOf(
  { tools, rules, store, executor }: House,
  asked: readonly Asked[],
  results: ToolResult[],
  instead: Partial<AgentLoopOptions> = {},
): AgentLoop {
  const turns = asked.map(({ name, args, cut }, index) => ({
    calls: [{ id: `call_${index}`, name, arguments: cut?.text ?? args }],
    finish: cut?.noticed === true ? ("length" as const) : ("tool-calls" as const),
  }));
  const { flow, callBudget } = rules;
  return new AgentLoop({
    engine: scriptedEngine([...turns, "done"]),
    tools,
    executor,
    journal: store.journal,
    onToolResult: (result) => results.push(result),
    ...(flow !== undefined && { flow }),
    ...(callBudget !== undefined && { budgets: { calls: callBudget } }),
    ...instead,
  });
}

/** What the calls of a run came to. */
async function resultsOf(start: (results: ToolResult[]) => Run): Promise<ToolResult[]> {
  const results: ToolResult[] = [];
  await start(results).outcome;
  return results;
}

const run = (house: House, asked: readonly Asked[]) =>
  resultsOf((results) =>
    loopOf(house, asked, results).run("go", { runId: house.runId, principal: house.principal }),
  );

const resume = (house: House) =>
  resultsOf((results) => loopOf(house, [], results).resume(house.runId, { principal: house.principal }));

/** A run whose process dies when its last call is written down and has not begun. */
async function unfinished(house: House, asked: readonly Asked[]): Promise<ToolResult[]> {
  const last = `call_${asked.length - 1}`;
  const { executor, store } = house;
  const mortal: CallExecutor = {
    ...{ events: executor.events, refuses: true, tools: executor.tools },
    call: () => Promise.reject(new Error("dead")),
    batch: (calls, options) =>
      calls.some(({ id }) => id === last)
        ? Promise.reject(new Error("dead"))
        : executor.batch(calls, options),
  };
  const journal = until(last, store.journal);
  const options = { runId: house.runId, principal: house.principal };
  const results = await resultsOf((told) =>
    loopOf(house, asked, told, { executor: mortal, journal }).run("go", options),
  );
  return results.slice(0, asked.length - 1);
}

/** A journal that hears nothing more once a call is written down. */
function until(callId: string, journal: Journal): Journal {
  let dead = false;
  return {
    begin: (header) => journal.begin(header),
    append(runId, entries, expected) {
      if (dead) return undefined;
      dead = entries.some(
        (entry) => entry.type === "calls" && entry.calls.some(({ call }) => call.id === callId),
      );
      return journal.append(runId, entries, expected);
    },
    header: (runId) => journal.header(runId),
    entries: (runId) => journal.entries(runId),
    runs: (query) => journal.runs(query),
  };
}

export const loop: Way = {
  name: "loop",
  source: "model",
  counts: ["guard", "loop"],
  make: (house, asked, again) => (again === undefined ? run(house, asked) : resume(house)),
};

export const resumed: Way = {
  name: "resumed",
  source: "model",
  counts: ["loop"],
  async make(house, asked, again) {
    if (again !== undefined) return resume(house);
    const before = await unfinished(house, asked);
    await house.reopen();
    return [...before, ...(await resume(house))];
  },
};

/** The last call runs in a run of its own, which has the past of the one in which it was asked for. */
export const forked: Way = {
  name: "forked",
  source: "model",
  counts: ["loop"],
  recorded: ({ runId }) => ({ runId: `${runId}_fork` }),
  async make(house, asked, again) {
    const before = again === undefined ? await unfinished(house, asked) : [];
    if (again === undefined) await house.reopen();
    const options = { runId: `${house.runId}_fork${again ?? ""}`, principal: house.principal };
    const rest = await resultsOf((results) =>
      loopOf(house, [], results).fork(house.runId, asked.length, options),
    );
    return [...before, ...rest];
  },
};
