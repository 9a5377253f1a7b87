import assert from "node:assert/strict";
import { textOf } from "../../call/content.ts";
import type { CallEvent } from "../../call/events.ts";
import type { CallExecutor } from "../../source/call-executor.ts";
import type { AnyTool } from "../../tool/tool.ts";
import { type ContractCase, contract, type Subject } from "../contract.ts";
import { scriptedTool } from "../scripted-tool.ts";

function tools(): { all: AnyTool[]; write: ReturnType<typeof scriptedTool> } {
  const write = scriptedTool({
    name: "write_note",
    safety: { sideEffects: "write" },
    script: [{ returns: "written" }],
  });
  const all: AnyTool[] = [
    write,
    scriptedTool({ name: "say_hello", script: [{ returns: "hello" }] }),
    scriptedTool({ name: "throw_text", script: [{ throws: "just text" }] }),
    scriptedTool({ name: "hang_around", script: [{ hangs: true }], more: { timeout: "50ms" } }),
    scriptedTool({
      name: "add_one",
      input: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
      script: [(args) => (args as { n: number }).n + 1],
    }),
  ];
  return { all, write };
}

/** What every executor must do, near or far. `make` gets the tools it is to run. */
export function executorContract(
  make: (tools: readonly AnyTool[]) => Subject<CallExecutor> | Promise<Subject<CallExecutor>>,
): ContractCase[] {
  let write: ReturnType<typeof scriptedTool>;
  const fresh = () => {
    const given = tools();
    write = given.write;
    return make(given.all);
  };
  return contract(fresh, {
    "a call is answered under its own id": async (executor) => {
      const result = await executor.call({ id: "c1", name: "say_hello", arguments: "{}" });
      assert.equal(result.isError, false);
      assert.equal(textOf(result.content), "hello");
      assert.equal(result.callId, "c1");
      assert.notEqual(result.executionId, "");
    },
    "whatever goes wrong is a result with a code": async (executor) => {
      const codes = await Promise.all(
        ["no_such_tool", "throw_text", "hang_around"].map(
          async (name) => (await executor.call({ id: "c", name, arguments: {} })).failure?.code,
        ),
      );
      assert.deepEqual(codes, ["TOOL_NOT_FOUND", "TOOL_PANICKED", "TOOL_TIMEOUT"]);
      const wrong = await executor.call({ id: "c", name: "add_one", arguments: { n: "many" } });
      assert.equal(wrong.failure?.kind, "validation");
    },
    "a batch is answered in its own order": async (executor) => {
      const names = ["add_one", "no_such_tool", "say_hello", "hang_around", "add_one"];
      const results = await executor.batch(
        names.map((name, index) => ({ id: `c${index}`, name, arguments: { n: index } })),
      );
      assert.deepEqual(
        results.map(({ callId, name }) => [callId, name]),
        names.map((name, index) => [`c${index}`, name]),
      );
      assert.equal(textOf(results[4]!.content), "5");
      assert.deepEqual(await executor.batch([]), []);
    },
    "provider ids repeat, execution ids do not": async (executor) => {
      const call = { id: "same", name: "say_hello", arguments: {} };
      const results = await executor.batch([call, call, call]);
      assert.equal(new Set(results.map(({ executionId }) => executionId)).size, 3);
    },
    "a side effect happens once for an execution id": async (executor) => {
      const call = { id: "c1", name: "write_note", arguments: { n: 1 } };
      const first = await executor.call(call, { executionId: "exec_once" });
      const second = await executor.call(call, { executionId: "exec_once" });
      assert.equal(textOf(first.content), "written");
      assert.equal(textOf(second.content), "written");
      assert.equal(write.calls.length, 1);
      const other = { id: "c1", name: "write_note", arguments: { n: 2 } };
      assert.equal((await executor.call(other, { executionId: "exec_once" })).failure?.code, "TOOL_BLOCKED");
      assert.equal(write.calls.length, 1);
    },
    "a cancelled call is answered as cancelled": async (executor) => {
      const controller = new AbortController();
      controller.abort();
      const { signal } = controller;
      const result = await executor.call({ id: "c", name: "say_hello", arguments: {} }, { signal });
      assert.equal(result.failure?.code, "TOOL_CANCELLED");
    },
    "one call of a batch is cancelled by itself": async (executor) => {
      const controller = new AbortController();
      const calls = ["say_hello", "hang_around", "say_hello"].map((name, index) => ({
        id: `c${index}`,
        name,
      }));
      const stop = executor.events.on("call.start", ({ callId }) => {
        if (callId === "c2") controller.abort();
      });
      const { signal } = controller;
      const results = await executor.batch(calls, { signals: [undefined, signal] });
      stop();
      assert.deepEqual(
        results.map(({ failure }) => failure?.code),
        [undefined, "TOOL_CANCELLED", undefined],
      );
    },
    "a call that comes with a refusal does not run, and is told in its place": async (executor) => {
      if (executor.refuses !== true) return;
      const seen: CallEvent[] = [];
      const stop = executor.events.on((event) => seen.push(event));
      const names = ["say_hello", "write_note", "add_one", "no_such_tool", "say_hello"];
      const no = { code: "TOOL_BUDGET_EXCEEDED", message: "no more" } as const;
      const results = await executor.batch(
        names.map((name, index) => ({ id: `c${index}`, name, arguments: { n: index } })),
        { refusals: [undefined, no, { ...no, unlessRemembered: true }, no] },
      );
      const single = { id: "c9", name: "write_note", arguments: {} };
      assert.equal((await executor.call(single, { refusal: no })).failure?.code, "TOOL_BUDGET_EXCEEDED");
      stop();
      assert.equal(write.calls.length, 0);
      assert.deepEqual(
        results.map(({ callId, failure }) => [callId, failure?.code]),
        names.map((_, index) => [`c${index}`, index % 4 === 0 ? undefined : "TOOL_BUDGET_EXCEEDED"]),
      );
      for (const type of ["call.start", "call.end"])
        assert.deepEqual(
          seen.filter((event) => event.type === type).map(({ callId }) => callId),
          ["c0", "c1", "c2", "c3", "c4", "c9"],
        );
    },
    "every call has one start and one end on the stream": async (executor) => {
      const seen: CallEvent[] = [];
      const stop = executor.events.on((event) => seen.push(event));
      await executor.batch(["say_hello", "throw_text"].map((name, index) => ({ id: `c${index}`, name })));
      stop();
      for (const type of ["call.start", "call.end"])
        assert.deepEqual(
          seen.filter((event) => event.type === type).map(({ callId }) => callId),
          ["c0", "c1"],
        );
    },
  });
}
