/** Which calls are of one run beneath a `ToolNode`. */
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { toLangChainTools } from "@toolrig/interop/langchain";
import { rig, tool } from "toolrig";
import { expect, test } from "vitest";

const input = { type: "object", properties: { to: { type: "string" } }, required: ["to"] } as const;

function bankOf() {
  const runs: (string | undefined)[] = [];
  const pay = tool({
    name: "pay",
    description: "Pay somebody",
    input,
    execute: ({ to }, { runId }) => {
      runs.push(runId);
      return `paid ${to}`;
    },
  });
  return { runs, bank: rig({ tools: [pay], store: ":memory:" }) };
}

const says = (name: string, to: string) =>
  new AIMessage({ content: "", tool_calls: [{ id: "call_0", name, args: { to }, type: "tool_call" }] });

test("messages without ids are runs of their own", async () => {
  const { runs, bank } = bankOf();
  const node = new ToolNode(toLangChainTools(bank));
  for (const user of ["ann", "bob"])
    await node.invoke({ messages: [new HumanMessage(`from ${user}`), says("pay", "eve")] });
  for (let times = 0; times < 2; times++) await node.invoke({ messages: [says("pay", "eve")] });
  expect([runs.length, new Set(runs).size]).toEqual([4, 4]);
  await bank.close();
});
