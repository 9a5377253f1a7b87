import { AgentLoop, scriptedEngine } from "@toolrig/agent";
import { Executor, tool } from "@toolrig/core";

const refund = tool({
  name: "refund_order",
  description: "Refund an order",
  input: {
    type: "object",
    properties: {
      order: { type: "string", pattern: "^[A-Z]-[0-9]+$" },
      amount: { type: "number", exclusiveMinimum: 0 },
    },
    required: ["order", "amount"],
  },
  safety: { sideEffects: "external" },
  execute: ({ order, amount }) => `refunded ${amount} of ${order}`,
});

/** A repaired call, a refused one, and a run of a loop. Throws when one of them is not as it should be. */
export async function callsAndRun(): Promise<string> {
  const executor = new Executor({ tools: [refund] });
  const call = (text: string) => executor.call({ id: "c", name: "refund_order", arguments: text });
  const repaired = await call("{order: 'A-7', amount: '40',}");
  const refused = await call('{"order": "7", "amount": -1}');
  const engine = scriptedEngine([
    { calls: [{ name: "refund_order", arguments: { order: "A-7", amount: 40 } }] },
    "Done.",
  ]);
  const { status, text } = await new AgentLoop({ engine, tools: [refund] }).run("Go.").outcome;
  return JSON.stringify([
    repaired.value,
    repaired.decoded.repairs.length > 0,
    refused.failure?.kind,
    status,
    text,
  ]);
}
