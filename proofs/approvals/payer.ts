/**
 * A process that wants to make payments, each of which needs approval. Killed and started again, it submits what has no
 * result yet under the same execution ids. Payments are lines in a file: what is written there has happened.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ApprovalQueue, Executor, tool } from "@toolrig/core";
import { openStore } from "@toolrig/store";

const [folder, count] = process.argv.slice(2) as [string, string];
const store = openStore(join(folder, "store.db"));
const queue = new ApprovalQueue({ store: store.approvals, pollEvery: "20ms" });

const pay = tool({
  name: "pay",
  description: "Pay",
  input: {
    type: "object",
    properties: { number: { type: "integer" }, amount: { type: "integer" } },
    required: ["number", "amount"],
  },
  safety: { sideEffects: "external", idempotent: false },
  approval: true,
  async execute({ number, amount }) {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
    appendFileSync(join(folder, "payments"), `${number} ${amount}\n`);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
    return amount;
  },
});

const executor = new Executor({ tools: [pay], approve: queue.approver, ledger: store.ledger });
const results = join(folder, "results");
const finished = new Set(
  existsSync(results)
    ? readFileSync(results, "utf8")
        .split("\n")
        .map((line) => line.split(" ")[0])
    : [],
);
await Promise.all(
  Array.from({ length: Number(count) }, async (_, number) => {
    if (finished.has(String(number))) return;
    const call = { id: `call_${number}`, name: "pay", arguments: { number, amount: 1_000 + number } };
    const { failure } = await executor.call(call, { executionId: `payment-${number}` });
    appendFileSync(results, `${number} ${failure?.code ?? "ok"}\n`);
  }),
);
store.close();
