/**
 * Workers behind NATS, killed in the middle of their calls.
 *
 *     npm run example fleet
 *
 * Needs `nats-server` 2.10 or later on the PATH, or its path in NATS_SERVER. worker.ts is what runs the tools. What may run again
 * does so on another worker; what may not is not repeated, and the caller is told that nobody knows:
 *
 *     3 workers offer resize_image and send_mail
 *     resize_image: worker … has it, and is killed
 *       cat.png is small, says worker …
 *     send_mail: worker … has it, and is killed
 *       TOOL_OUTCOME_UNKNOWN
 *       Worker … started send_mail and was lost before it reported. It may have happened; it was not run again.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { NatsExecutor } from "@toolrig/nats";
import { startNats } from "./nats.ts";

const { servers, stop } = await startNats();
const workers = await Promise.all([1, 2, 3].map(startWorker));

const executor = await NatsExecutor.connect({ nats: { servers } });
const fleet = await executor.fleet(); // also a source of tools for a loop
const names = fleet.tools().map(({ name }) => name);
console.log(`${fleet.workers().length} workers offer ${names.join(" and ")}`);

for (const call of [
  { id: "call_1", name: "resize_image", arguments: { file: "cat.png" } },
  { id: "call_2", name: "send_mail", arguments: { to: "Ada" } },
]) {
  const answer = executor.call(call);
  const busy = await Promise.race(workers.map(async (worker) => (await once(worker, "message")) && worker));
  busy.kill("SIGKILL");
  console.log(`${call.name}: worker ${workers.indexOf(busy) + 1} has it, and is killed`);
  const { value, failure } = await answer;
  console.log(failure ? `  ${failure.code}\n  ${failure.message}` : `  ${value}`);
}

await executor.close();
for (const worker of workers) worker.kill();
await stop();

async function startWorker(number: number): Promise<ChildProcess> {
  const worker = fork(join(import.meta.dirname, "worker.ts"), [servers, String(number)]);
  process.once("exit", () => worker.kill());
  await once(worker, "message");
  return worker;
}
