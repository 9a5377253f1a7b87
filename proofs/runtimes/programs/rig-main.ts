import { openStore, rig, scriptedEngine, tool } from "toolrig";

const refund = tool({
  name: "refund_order",
  description: "Refund an order",
  input: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
  safety: { sideEffects: "external" },
  execute: ({ order }) => `refunded ${order}`,
});
const engine = scriptedEngine([{ calls: [{ name: "refund_order", arguments: { order: "A-7" } }] }, "Done."]);
const desk = rig({ tools: [refund], engine, store: "desk.db" });

async function main(): Promise<void> {
  const { status, text } = await desk.run("Refund A-7.", { runId: "run_1" }).outcome;
  await desk.close();
  const { records } = openStore("desk.db", { readOnly: true });
  console.log(JSON.stringify([status, text, [...records.all({ runId: "run_1" })].map(({ name }) => name)]));
}

void main();
