import { expect, test } from "vitest";
import { MemoryCallStore } from "../../stores/records.ts";
import { tool } from "../../tool/define-tool.ts";
import { Executor } from "../executor.ts";

function counted(options: { denies?: boolean } = {}) {
  const ran: string[] = [];
  const send = tool({
    name: "send",
    description: "Send",
    input: { type: "object" },
    execute: () => ran.push("sent"),
  });
  const store = new MemoryCallStore();
  const hooks = options.denies ? { beforeCall: () => ({ block: "no" }) } : {};
  return { ran, store, executor: new Executor({ tools: [send], store, hooks }) };
}
const call = { id: "call_1", name: "send" };

test("a call that is allowed runs when whoever made it says so", async () => {
  const { ran, executor } = counted();
  let goOn = () => {};
  const asked = new Promise<void>((reached) => {
    void executor.call(call, {
      beforeRun: () => {
        reached();
        return new Promise<void>((resolve) => {
          goOn = resolve;
        });
      },
    });
  });
  await asked;
  expect(ran).toEqual([]);
  goOn();
  await expect.poll(() => ran).toEqual(["sent"]);
});

test.each([
  ["rejects", () => Promise.reject(new Error("the peer has gone")), undefined, "the peer has gone"],
  ["never answers", () => new Promise<void>(() => {}), AbortSignal.abort(), "cancelled"],
])("one whose maker %s is cancelled, and recorded", async (_, beforeRun, signal, message) => {
  const { ran, executor, store } = counted();
  const { failure } = await executor.call(call, { beforeRun, ...(signal && { signal }) });
  expect(failure).toMatchObject({ code: "TOOL_CANCELLED", message: expect.stringContaining(message) });
  expect(ran).toEqual([]);
  await executor.drain();
  expect(store.records()).toHaveLength(1);
});

test("nobody is asked about a call that a guard denied", async () => {
  const { executor } = counted({ denies: true });
  let asked = 0;
  const { failure } = await executor.call(call, { beforeRun: async () => ++asked });
  expect([failure?.kind, asked]).toEqual(["denied", 0]);
});

test("neither the last word nor the shape of a call is that of the calls that its tool makes", async () => {
  const got: unknown[] = [];
  const inner = tool({
    name: "inner",
    description: "Inner",
    input: { type: "object" },
    execute: (args) => got.push(args),
  });
  const outer = tool({
    name: "outer",
    description: "Outer",
    input: { type: "object" },
    async execute(args, context) {
      got.push(args);
      await context.call("inner", { n: 1 });
      return "done";
    },
  });
  let asked = 0;
  const executor = new Executor({ tools: [inner, outer] });
  await executor.call(
    { id: "call_1", name: "outer", arguments: '{"told": true}' },
    { beforeRun: async () => ++asked, reshape: (args, { name }) => ({ [name]: args }) },
  );
  expect([asked, got]).toEqual([1, [{ outer: { told: true } }, { n: 1 }]]);
});
