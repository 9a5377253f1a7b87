/** Pays as it is told, one line of standard input after the other: "pay 0 10" pays exec_0 to exec_9. Each payment is a line in FILE.world. */
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Executor, tool } from "@toolrig/core";
import { openStore } from "../src/index.ts";

const path = process.argv[2]!;
const store = openStore(path);
const pay = tool({
  name: "pay",
  description: "Pay",
  input: { type: "object", properties: { n: { type: "number" } } },
  safety: { sideEffects: "external" },
  execute({ n }) {
    appendFileSync(`${path}.world`, `exec_${n}\n`);
    return "paid";
  },
});
const executor = new Executor({ tools: [pay], ledger: store.ledger, store: store.recorder });

console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const [what, from = 0, to = 0] = line.split(" ");
  if (what === "close") {
    await executor.drain();
    store.close();
    console.log("closed");
    break;
  }
  const codes = new Set<string>();
  for (let n = Number(from); n < Number(to); n++) {
    const call = { id: `c${n}`, name: "pay", arguments: { n } };
    const result = await executor.call(call, { executionId: `exec_${n}` });
    codes.add(result.failure?.code ?? "paid");
  }
  console.log([...codes].join());
}
