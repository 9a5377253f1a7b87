/** The agent that pays, as main.ts starts it: with the address of the bank, and the folder where its store is. */
import { join } from "node:path";
import { rig, scriptedEngine, tool } from "toolrig";
import { z } from "zod";

const [bank = "", folder = ""] = process.argv.slice(2);

const pay = tool({
  name: "pay",
  description: "Pay somebody",
  input: z.object({ to: z.string(), amount: z.number().positive() }),
  safety: { sideEffects: "external" }, // and not idempotent: it runs at most once
  async execute(payment, { idempotencyKey }) {
    const body = JSON.stringify(payment);
    return (await fetch(`${bank}/${idempotencyKey}`, { method: "POST", body })).json();
  },
  // What became of a payment that was under way in a crash? Without this its outcome is unknown, the model is told so, and
  // nobody pays again.
  async reconcile(_payment, idempotencyKey) {
    const answer = await fetch(`${bank}/${idempotencyKey}`);
    if (answer.status === 404) return { outcome: "never-ran" };
    return { outcome: "completed", value: await answer.json() };
  },
});

const engine = scriptedEngine(({ messages }) =>
  messages.at(-1)?.role === "tool"
    ? "Ada has her 80."
    : { calls: [{ name: "pay", arguments: { to: "Ada", amount: 80 } }] },
);

const desk = rig({ tools: [pay], engine, store: join(folder, "toolrig.db") });
for (const { intent, outcome } of await desk.reconciled)
  console.log(`agent: ${intent.name} was left open: ${outcome}`);

const begun = desk.store.journal.header("run_1") !== undefined;
console.log(`agent: ${begun ? "goes on with" : "starts"} run_1`);
const run = begun ? desk.resume("run_1") : desk.run("Pay Ada the 80 that we owe her.", { runId: "run_1" });
console.log(`agent: ${(await run.outcome).text}`);
await desk.close();
