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
