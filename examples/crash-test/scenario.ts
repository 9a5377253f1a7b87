/** The tool under test, and one start of a program that uses it. main.test.ts kills it and starts it again, with the same folder. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Executor, reconcileOpen, tool } from "@toolrig/core";
import { type CrashScenario, crashableLedger } from "@toolrig/core/testing";
import { openStore } from "@toolrig/store";
import { z } from "zod";

/** What was sent, as the mail server would know it. */
export function sentMails(folder: string): string[] {
  const file = join(folder, "sent.txt");
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
}

export const scenario: CrashScenario = async ({ folder, point }) => {
  const sendMail = tool({
    name: "send_mail",
    description: "Send a mail",
    input: z.object({ to: z.string() }),
    safety: { sideEffects: "external" },
    execute({ to }, { idempotencyKey }) {
      point("before the mail"); // the process may be killed here
      appendFileSync(join(folder, "sent.txt"), `${idempotencyKey} ${to}\n`);
      point("after the mail");
      return `sent to ${to}`;
    },
    reconcile({ to }, idempotencyKey) {
      const sent = sentMails(folder).includes(`${idempotencyKey} ${to}`);
      return sent ? { outcome: "completed", value: `sent to ${to}` } : { outcome: "never-ran" };
    },
  });

  const store = openStore(join(folder, "rig.db"));
  const ledger = crashableLedger(store.ledger, point); // and before and after each of its writes
  await reconcileOpen(ledger, [sendMail]);
  const executor = new Executor({ tools: [sendMail], ledger });
  const call = { id: "call_1", name: "send_mail", arguments: { to: "ada" } };
  return executor.call(call, { executionId: "exec_1" });
};
