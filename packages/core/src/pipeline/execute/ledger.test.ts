import { describe, expect, test } from "vitest";
import type { CallEvent } from "../../call/events.ts";
import { result } from "../../call/result.ts";
import { type Ledger, MemoryLedger } from "../../stores/ledger.ts";
import { tool } from "../../tool/define-tool.ts";
import type { ToolSpec } from "../../tool/tool.ts";
import { Executor } from "../executor.ts";
import type { ExecutorOptions } from "../options.ts";

type Spec = Partial<ToolSpec<unknown, unknown>>;

function setUp(spec: Spec = {}, options: ExecutorOptions = {}) {
  let runs = 0;
  const events: CallEvent[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays",
    input: { type: "object" },
    safety: { sideEffects: "external" },
    execute() {
      runs += 1;
      return result({ value: `receipt ${runs}`, effects: [{ type: "custom", name: "paid" }] });
    },
    ...spec,
  } as ToolSpec<unknown, unknown>);
  const executor = new Executor({ tools: [pay], events: (event) => events.push(event), ...options });
  const call = (args: object = {}, executionId?: string) =>
    executor.call(
      { id: "c", name: "pay", arguments: args },
      executionId === undefined ? {} : { executionId },
    );
  return { call, executor, events, runs: () => runs };
}

/** A ledger in which an earlier process left an intent open. */
function leftOpen(): Ledger {
  const ledger = new MemoryLedger();
  return Object.assign(Object.create(ledger), {
    intend: (intent: Parameters<Ledger["intend"]>[0]) => {
      const known = ledger.intend(intent);
      return known.state === "new" ? { state: "open" } : known;
    },
    complete: ledger.complete.bind(ledger),
    fail: ledger.fail.bind(ledger),
    unknown: ledger.unknown.bind(ledger),
    withdraw: ledger.withdraw.bind(ledger),
    open: ledger.open.bind(ledger),
  });
}

describe("an execution id that comes again", () => {
  test("gets the recorded result, effects included, and nothing runs", async () => {
    const { call, runs } = setUp();
    const first = await call({ to: "Ada" }, "e1");
    const second = await call({ to: "Ada" }, "e1");
    expect(second).toMatchObject({ value: "receipt 1", executionId: "e1", attempts: 0, replayed: true });
    expect(second.effects).toEqual(first.effects);
    expect(runs()).toBe(1);
  });

  test("waits for the first when both come at once", async () => {
    const { call, runs } = setUp();
    const [first, second] = await Promise.all([call({}, "e1"), call({}, "e1")]);
    expect([first.value, second.value]).toEqual(["receipt 1", "receipt 1"]);
    expect(runs()).toBe(1);
  });

  test("with other arguments is another call, and refused", async () => {
    const { call, runs } = setUp();
    await call({ to: "Ada" }, "e1");
    expect((await call({ to: "Eve" }, "e1")).failure).toMatchObject({ kind: "denied", code: "TOOL_BLOCKED" });
    expect(runs()).toBe(1);
  });

  test("gets the recorded failure, too: what failed may have happened", async () => {
    let runs = 0;
    const { call } = setUp({
      execute() {
        runs += 1;
        throw new Error("card declined");
      },
    });
    await call({}, "e1");
    expect((await call({}, "e1")).failure?.message).toBe("card declined");
    expect(runs).toBe(1);
  });

  test("runs when the first time it was refused before it ran", async () => {
    const answers: (true | string)[] = [true, "closed", true, true];
    const { call, runs } = setUp({ available: () => answers.shift() ?? true });
    expect((await call({}, "e1")).failure?.code).toBe("TOOL_UNAVAILABLE");
    expect((await call({}, "e1")).value).toBe("receipt 1");
    expect(runs()).toBe(1);
  });
});

test("calls without an id of their own are different executions", async () => {
  const { call, runs } = setUp();
  await call();
  await call();
  expect(runs()).toBe(2);
});

describe("an intent that was left open", () => {
  test("is not run again when that could repeat it: the outcome is unknown", async () => {
    const { call, runs } = setUp({}, { ledger: leftOpen() });
    const { failure } = await call({}, "e1");
    expect(failure).toMatchObject({ kind: "unknown", code: "TOOL_OUTCOME_UNKNOWN", retryable: false });
    expect((await call({}, "e1")).failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
    expect(runs()).toBe(0);
  });

  test("is run again by an idempotent tool", async () => {
    const { call, runs } = setUp(
      { safety: { sideEffects: "external", idempotent: true } },
      { ledger: leftOpen() },
    );
    expect((await call({}, "e1")).value).toBe("receipt 1");
    expect(runs()).toBe(1);
  });

  test("is settled by what the tool finds out, with the key it was run under", async () => {
    const asked: unknown[] = [];
    const { call, runs } = setUp(
      {
        reconcile(args, key) {
          asked.push(args, key);
          return { outcome: "completed", value: "found receipt" };
        },
      },
      { ledger: leftOpen() },
    );
    expect((await call({ to: "Ada" }, "e1")).value).toBe("found receipt");
    expect((await call({ to: "Ada" }, "e1")).value).toBe("found receipt");
    expect(asked).toEqual([{ to: "Ada" }, "e1"]);
    expect(runs()).toBe(0);
  });

  test("is run when the tool finds that it never ran", async () => {
    const { call, runs } = setUp(
      { reconcile: async () => ({ outcome: "never-ran" }) },
      { ledger: leftOpen() },
    );
    expect((await call({}, "e1")).isError).toBe(false);
    expect(runs()).toBe(1);
  });

  test("stays unknown when the tool cannot find out", async () => {
    const { call, runs } = setUp(
      { reconcile: () => Promise.reject(new Error("no network")) },
      { ledger: leftOpen() },
    );
    expect((await call({}, "e1")).failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
    expect(runs()).toBe(0);
  });
});

describe("a ledger that fails", () => {
  const broken = (method: keyof Ledger): Ledger => {
    const ledger = new MemoryLedger();
    return Object.assign(ledger, { [method]: () => Promise.reject(new Error("disk full")) });
  };

  test("before: nothing runs that could not be recorded", async () => {
    const { call, runs } = setUp({}, { ledger: broken("intend") });
    expect((await call()).failure).toMatchObject({
      code: "TOOL_UNAVAILABLE",
      message: expect.stringContaining("disk full"),
    });
    expect(runs()).toBe(0);
  });

  test("before, when told to run all the same: the gap is reported", async () => {
    const { call, events } = setUp({}, { ledger: broken("intend"), onUnrecorded: "run" });
    expect((await call()).isError).toBe(false);
    expect(events.find((event) => event.type === "call.unrecorded")).toMatchObject({ message: "disk full" });
  });

  test("after: the result stands and the gap is reported", async () => {
    const { call, events } = setUp({}, { ledger: broken("complete") });
    expect((await call()).value).toBe("receipt 1");
    expect(events.find((event) => event.type === "call.unrecorded")).toMatchObject({ message: "disk full" });
  });
});

describe("an outcome that the ledger does not take", () => {
  /** A ledger whose writes of outcomes fail until `mend`. */
  function failing(...methods: ("complete" | "fail" | "unknown" | "withdraw")[]) {
    const ledger = new MemoryLedger();
    let broken = true;
    for (const method of methods) {
      const write = ledger[method].bind(ledger) as (...args: unknown[]) => unknown;
      Object.assign(ledger, {
        [method]: async (...args: unknown[]) => {
          if (broken) throw new Error("database is locked");
          return write(...args);
        },
      });
    }
    const mend = () => {
      broken = false;
    };
    return { ledger, mend };
  }
  const until = async (condition: () => boolean) => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
  };

  test("answers its id from memory, counts once it is written, and is stored in the end", async () => {
    const { ledger, mend } = failing("complete");
    const { call, runs, executor } = setUp({}, { ledger });
    expect((await call({}, "e1")).value).toBe("receipt 1");
    expect(executor.health()).toMatchObject({
      healthy: false,
      degraded: "1 outcomes wait for the ledger: database is locked",
      ledger: { completed: 0 },
    });
    expect(await call({}, "e1")).toMatchObject({ value: "receipt 1", replayed: true });
    expect((await call({ other: true }, "e1")).failure?.code).toBe("TOOL_BLOCKED");
    expect(ledger.get("e1")?.result).toBeUndefined();
    mend();
    await until(() => executor.health().healthy);
    expect(ledger.get("e1")?.result).toMatchObject({ value: "receipt 1" });
    expect(executor.health()).toMatchObject({ state: "running", ledger: { completed: 1 } });
    expect(executor.health().degraded).toBeUndefined();
    expect(runs()).toBe(1);
  });

  test("is known to every executor of the process that has the ledger", async () => {
    const { ledger } = failing("complete");
    const first = setUp({}, { ledger });
    await first.call({}, "e1");
    const second = setUp({}, { ledger });
    expect(await second.call({}, "e1")).toMatchObject({ value: "receipt 1", replayed: true });
    expect([second.runs(), second.executor.health().healthy]).toEqual([0, false]);
  });

  test("of a call that did not run lets it run once the ledger works", async () => {
    const { ledger, mend } = failing("withdraw");
    const answers: (true | string)[] = [true, "closed"];
    const { call, runs } = setUp({ available: () => answers.shift() ?? true }, { ledger });
    expect((await call({}, "e1")).failure?.message).toContain("closed");
    expect((await call({}, "e1")).failure).toMatchObject({
      code: "TOOL_UNAVAILABLE",
      message: expect.stringContaining("database is locked"),
    });
    expect(runs()).toBe(0);
    mend();
    expect((await call({}, "e1")).value).toBe("receipt 1");
  });

  test("is written when the executor drains", async () => {
    const { ledger, mend } = failing("complete");
    const { call, executor } = setUp({}, { ledger });
    await call({}, "e1");
    mend();
    await executor.drain();
    expect(ledger.get("e1")?.result).toMatchObject({ value: "receipt 1" });
  });
});

describe("a side effect that is given up while it runs", () => {
  /** A ledger that says how each execution was closed. */
  function watched() {
    const ledger = new MemoryLedger();
    const closed: string[] = [];
    for (const how of ["complete", "fail", "unknown"] as const) {
      const close = ledger[how].bind(ledger);
      ledger[how] = (id, outcome) => {
        closed.push(`${how} ${outcome.failure?.code ?? "ok"}`);
        return close(id, outcome);
      };
    }
    return { ledger, closed };
  }
  const forever = () => new Promise<never>(() => {});

  test.each([true, false])("after its time is in doubt, idempotent or not (%s)", async (idempotent) => {
    const { ledger, closed } = watched();
    let runs = 0;
    const safety = { sideEffects: "external", idempotent } as const;
    const execute = () => {
      runs += 1;
      return forever();
    };
    const { call } = setUp({ timeout: 1, safety, execute }, { ledger });
    expect((await call({}, "e1")).failure).toMatchObject({
      code: "TOOL_TIMEOUT",
      message: expect.stringContaining("may have happened; verify"),
    });
    expect(closed).toEqual(["unknown TOOL_TIMEOUT"]);
    expect(await call({}, "e1")).toMatchObject({ replayed: true, failure: { code: "TOOL_TIMEOUT" } });
    expect(runs).toBe(1);
  });

  test("by its caller is in doubt", async () => {
    const { ledger, closed } = watched();
    const stop = new AbortController();
    const execute = () => {
      stop.abort();
      return forever();
    };
    const { executor } = setUp({ execute }, { ledger });
    await executor.call({ id: "c", name: "pay", arguments: {} }, { signal: stop.signal });
    expect(closed).toEqual(["unknown TOOL_CANCELLED"]);
  });

  test("is not in doubt when it did not begin, when it failed by itself, or when it only reads", async () => {
    const { ledger, closed } = watched();
    const stopped = { signal: AbortSignal.abort() };
    await setUp({}, { ledger }).executor.call({ id: "c", name: "pay", arguments: {} }, stopped);
    expect(closed).toEqual([]);
    await setUp({ execute: () => Promise.reject(new Error("declined")) }, { ledger }).call();
    const reading = { safety: { sideEffects: "read" }, ledger: true, timeout: 1, execute: forever } as const;
    await setUp(reading, { ledger }).call();
    expect(closed).toEqual(["fail TOOL_EXECUTION_FAILED", "fail TOOL_TIMEOUT"]);
  });
});

test("an intent is open exactly while its tool runs", async () => {
  const ledger = new MemoryLedger();
  const seen: unknown[] = [];
  const { call } = setUp(
    { execute: () => void seen.push(ledger.open().map(({ name }) => name)) },
    { ledger },
  );
  await call();
  expect(seen).toEqual([["pay"]]);
  expect(ledger.open()).toEqual([]);
});

test("tools without side effects are not in the ledger unless they ask", async () => {
  const counting = new MemoryLedger();
  let intents = 0;
  const ledger = Object.assign(counting, {
    intend: () => ({ state: "new", count: ++intents }),
  }) as unknown as Ledger;
  await setUp({ safety: { sideEffects: "read" } }, { ledger }).call();
  expect(intents).toBe(0);
  await setUp({ safety: { sideEffects: "read" }, ledger: true }, { ledger }).call();
  expect(intents).toBe(1);
});
