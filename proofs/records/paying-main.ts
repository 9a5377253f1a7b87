/** Begins a payment that never ends, and says so. */
import { Executor, tool } from "@toolrig/core";
import { openStore } from "@toolrig/store";

const store = openStore(process.argv[2]!);
const pay = tool({
  name: "pay",
  description: "Pay",
  input: { type: "object" },
  safety: { sideEffects: "external" },
  timeout: "10m",
  async execute() {
    console.log("paying");
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  },
});
await new Executor({ tools: [pay], ledger: store.ledger, store: store.records }).call(
  { id: "c", name: "pay" },
  { executionId: "exec_paid" },
);
