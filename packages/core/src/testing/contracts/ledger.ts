import assert from "node:assert/strict";
import type { ToolResult } from "../../call/result.ts";
import type { Intent, Ledger } from "../../stores/ledger.ts";
import { type ContractCase, contract, type MakeSubject } from "../contract.ts";

const INTENT: Intent = {
  executionId: "exec_1",
  fingerprint: "print_a",
  name: "send_mail",
  version: "1.0.0",
  args: { to: "ada", body: "naïve 日本 \u2028 🎉" },
  callId: "call_1",
  runId: "run_1",
  principal: "ada",
  source: "cli",
};

function resultOf(text: string, failed = false): ToolResult {
  const result: ToolResult = {
    callId: "call_1",
    executionId: "exec_1",
    name: "send_mail",
    isError: failed,
    content: [{ type: "text", text }],
    decoded: { mode: "strict", degree: "exact", repairs: [] },
    attempts: 1,
    durationMs: 3.5,
    effects: [{ type: "custom", name: "mail", data: { to: "ada" } }],
  };
  if (failed)
    result.failure = { kind: "fatal", code: "TOOL_EXECUTION_FAILED", message: text, retryable: false };
  return result;
}

const UNKNOWN: ToolResult = {
  ...resultOf("may have happened", true),
  failure: {
    kind: "unknown",
    code: "TOOL_OUTCOME_UNKNOWN",
    message: "may have happened",
    retryable: false,
  },
};

/** What every ledger must do. */
export function ledgerContract(make: MakeSubject<Ledger>): ContractCase[] {
  return contract(make, {
    "a first intent is new, a second one finds it open": async (ledger) => {
      assert.deepEqual(await ledger.intend(INTENT), { state: "new" });
      assert.deepEqual(await ledger.intend(INTENT), { state: "open" });
    },
    "an outcome is returned for the same execution, whole": async (ledger) => {
      await ledger.intend(INTENT);
      await ledger.complete("exec_1", resultOf("sent"));
      assert.deepEqual(await ledger.intend(INTENT), { state: "done", result: resultOf("sent") });
    },
    "a failure is an outcome": async (ledger) => {
      await ledger.intend(INTENT);
      await ledger.fail("exec_1", resultOf("bounced", true));
      assert.deepEqual(await ledger.intend(INTENT), { state: "done", result: resultOf("bounced", true) });
    },
    "the same execution with other arguments is a collision, open or done": async (ledger) => {
      const other = { ...INTENT, fingerprint: "print_b", args: { to: "eve" } };
      await ledger.intend(INTENT);
      assert.deepEqual(await ledger.intend(other), { state: "collision" });
      await ledger.complete("exec_1", resultOf("sent"));
      assert.deepEqual(await ledger.intend(other), { state: "collision" });
      assert.equal((await ledger.intend(INTENT)).state, "done");
    },
    "an outcome is never replaced": async (ledger) => {
      await ledger.intend(INTENT);
      await ledger.complete("exec_1", resultOf("sent"));
      await ledger.fail("exec_1", resultOf("bounced", true));
      await ledger.unknown("exec_1", UNKNOWN);
      await ledger.withdraw("exec_1");
      assert.deepEqual(await ledger.intend(INTENT), { state: "done", result: resultOf("sent") });
    },
    "unknown is kept until a real outcome arrives": async (ledger) => {
      await ledger.intend(INTENT);
      await ledger.unknown("exec_1", UNKNOWN);
      assert.deepEqual(await ledger.intend(INTENT), { state: "done", result: UNKNOWN });
      await ledger.complete("exec_1", resultOf("sent"));
      assert.deepEqual(await ledger.intend(INTENT), { state: "done", result: resultOf("sent") });
    },
    "of many who bring an outcome, one is told that it counts": async (ledger) => {
      await ledger.intend(INTENT);
      const told = await Promise.all([
        ledger.complete("exec_1", resultOf("sent")),
        ledger.fail("exec_1", resultOf("bounced", true)),
        ledger.unknown("exec_1", UNKNOWN),
        ledger.complete("exec_1", resultOf("sent again")),
      ]);
      assert.deepEqual(told, [true, false, false, false]);
    },
    "what waits is nobody's: it is not open, and its outcome is as good as any": async (ledger) => {
      if (ledger.park === undefined) return;
      assert.equal(await ledger.park("exec_1"), false);
      await ledger.intend(INTENT);
      assert.equal(await ledger.park("exec_1"), true);
      assert.equal(await ledger.park("exec_1"), false);
      assert.deepEqual(await ledger.open(), []);
      assert.deepEqual(await ledger.intend(INTENT), { state: "waiting" });
      assert.deepEqual(await ledger.intend({ ...INTENT, fingerprint: "print_b" }), { state: "collision" });
      assert.equal((await ledger.get?.("exec_1"))?.waiting ?? true, true);
      assert.equal(await ledger.complete("exec_1", resultOf("sent")), true);
      assert.equal((await ledger.get?.("exec_1"))?.waiting ?? false, false);
      assert.equal(await ledger.park("exec_1"), false);
      assert.deepEqual(await ledger.intend(INTENT), { state: "done", result: resultOf("sent") });
    },
    "of many who take up what waits, one does": async (ledger) => {
      if (ledger.park === undefined || ledger.unpark === undefined) return;
      await ledger.intend(INTENT);
      assert.equal(await ledger.unpark("exec_1"), false);
      await ledger.park("exec_1");
      const unpark = () => ledger.unpark?.("exec_1");
      const taken = await Promise.all([unpark(), unpark(), unpark()]);
      assert.equal(taken.filter((each) => each).length, 1);
      const [open] = await ledger.open();
      assert.equal(open?.running, true);
    },
    "what waits still waits after a restart": async (ledger, { reopen }) => {
      if (reopen === undefined || ledger.park === undefined) return;
      await ledger.intend(INTENT);
      await ledger.park("exec_1");
      const again = await reopen();
      assert.deepEqual(await again.open(), []);
      assert.deepEqual(await again.intend(INTENT), { state: "waiting" });
      assert.equal(await again.unpark?.("exec_1"), true);
      assert.deepEqual(await again.intend(INTENT), { state: "open" });
    },
    "a withdrawn intent was never there": async (ledger) => {
      await ledger.intend(INTENT);
      await ledger.withdraw("exec_1");
      assert.deepEqual(await ledger.open(), []);
      assert.deepEqual(await ledger.intend(INTENT), { state: "new" });
    },
    "what is released is open and does not run, until it is taken up again": async (ledger) => {
      if (ledger.release === undefined) return;
      const isRunning = async () => (await ledger.open()).map(({ running }) => running);
      await ledger.intend(INTENT);
      await ledger.release("exec_1");
      assert.deepEqual(await isRunning(), [false]);
      assert.deepEqual(await ledger.intend(INTENT), { state: "open" });
      assert.deepEqual(await isRunning(), [true]);
      await ledger.complete("exec_1", resultOf("sent"));
      await ledger.release("exec_1");
      assert.deepEqual(await ledger.intend(INTENT), { state: "done", result: resultOf("sent") });
    },
    "what a call may have made is found by its id, open or over": async (ledger) => {
      if (ledger.under === undefined) return;
      const under = async (id: string) =>
        (await ledger.under!(id)).map(({ executionId, name, version }) => ({ executionId, name, version }));
      const { name, version } = INTENT;
      for (const id of ["exec_1.a", "exec_1.b", "exec_1.b.c", "exec_1.w", "exec_10.a", "exec_1/a"])
        await ledger.intend({ ...INTENT, executionId: id });
      await ledger.intend(INTENT);
      await ledger.complete("exec_1.b", resultOf("sent"));
      await ledger.withdraw("exec_1.w");
      const found = (await under("exec_1")).sort((a, b) => (a.executionId < b.executionId ? -1 : 1));
      assert.deepEqual(found, [
        { executionId: "exec_1.a", name, version },
        { executionId: "exec_1.b", name, version },
        { executionId: "exec_1.b.c", name, version },
      ]);
      assert.deepEqual(await under("exec_1.a"), []);
    },
    "an outcome without an intent is ignored": async (ledger) => {
      await ledger.complete("exec_1", resultOf("sent"));
      assert.deepEqual(await ledger.intend(INTENT), { state: "new" });
    },
    "open intents are listed whole, oldest first": async (ledger) => {
      await ledger.intend(INTENT);
      await ledger.intend({ ...INTENT, executionId: "exec_2", runId: undefined, version: undefined });
      await ledger.intend({ ...INTENT, executionId: "exec_3" });
      await ledger.complete("exec_3", resultOf("sent"));
      const open = await ledger.open();
      assert.deepEqual(
        open.map(({ executionId, runId, version }) => ({ executionId, runId, version })),
        [
          { executionId: "exec_1", runId: "run_1", version: "1.0.0" },
          { executionId: "exec_2", runId: undefined, version: undefined },
        ],
      );
      const { at, running, ...intent } = open[0]!;
      assert.deepEqual({ ...intent }, { ...INTENT });
      assert.ok(at > 0 && running);
    },
    "what is known of an execution can be asked for, if the ledger can say": async (ledger) => {
      if (ledger.get === undefined) return;
      const known = async () => {
        const entry = await ledger.get!("exec_1");
        return entry && { fingerprint: entry.fingerprint, principal: entry.principal, result: entry.result };
      };
      assert.equal(await known(), undefined);
      await ledger.intend(INTENT);
      assert.deepEqual(await known(), { fingerprint: "print_a", principal: "ada", result: undefined });
      await ledger.withdraw("exec_1");
      assert.equal(await known(), undefined);
      await ledger.intend(INTENT);
      await ledger.complete("exec_1", resultOf("sent"));
      assert.deepEqual(await known(), { fingerprint: "print_a", principal: "ada", result: resultOf("sent") });
    },
    "many at once are all decided, each once": async (ledger) => {
      const same = await Promise.all(Array.from({ length: 20 }, () => ledger.intend(INTENT)));
      assert.equal(same.filter(({ state }) => state === "new").length, 1);
      const others = Array.from({ length: 50 }, (_, index) =>
        ledger.intend({ ...INTENT, executionId: `many_${index}` }),
      );
      assert.ok((await Promise.all(others)).every(({ state }) => state === "new"));
    },
    "what was open stays open after a restart, what was done stays done": async (ledger, { reopen }) => {
      if (reopen === undefined) return;
      await ledger.intend(INTENT);
      await ledger.intend({ ...INTENT, executionId: "exec_2" });
      await ledger.complete("exec_2", resultOf("sent"));
      const again = await reopen();
      const [left, ...rest] = await again.open();
      assert.equal(left?.executionId, "exec_1");
      assert.equal(left?.running, false);
      assert.deepEqual(rest, []);
      assert.deepEqual(await again.intend(INTENT), { state: "open" });
      const done = await again.intend({ ...INTENT, executionId: "exec_2" });
      assert.deepEqual(done, { state: "done", result: resultOf("sent") });
    },
  });
}
