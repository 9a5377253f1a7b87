/**
 * A process killed in mid-payment, and one payment made.
 *
 *     npm run example payments
 *
 * This program is the bank. It starts the agent (agent.ts, which is what to copy), books its payment, and kills it with SIGKILL
 * before it has the answer; then it starts it again. The model is scripted; a real one is `engine: aiSdkEngine(openai("gpt-5"))`.
 *
 *     agent: starts run_1
 *     bank:  books 80 to Ada, and kills the agent
 *     agent: pay was left open: completed
 *     agent: goes on with run_1
 *     agent: Ada has her 80.
 *     bank:  1 payment was made
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";

const folder = mkdtempSync(join(tmpdir(), "payments-"));
const payments: { key: string; to: string; amount: number }[] = [];
let agent: ChildProcess;

const bank = createServer(async (request, response) => {
  const key = request.url ?? "";
  if (request.method === "POST") {
    const { to, amount } = (await json(request)) as { to: string; amount: number };
    payments.push({ key, to, amount });
    console.log(`bank:  books ${amount} to ${to}, and kills the agent`);
    agent.kill("SIGKILL");
  }
  const made = payments.find((payment) => payment.key === key);
  response.writeHead(made ? 200 : 404).end(JSON.stringify(made ?? null));
});
bank.listen(0, "127.0.0.1");
await once(bank, "listening");

for (const _start of ["first", "second"]) {
  const url = `http://127.0.0.1:${(bank.address() as AddressInfo).port}`;
  const program = [...process.execArgv, join(import.meta.dirname, "agent.ts"), url, folder];
  agent = spawn(process.execPath, program, { stdio: "inherit" });
  await once(agent, "exit");
}
console.log(`bank:  ${payments.length} payment was made`);
bank.close();
rmSync(folder, { recursive: true });
