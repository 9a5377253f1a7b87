/**
 * A worker and a caller in Python.
 *
 *     npm run example python
 *
 * Needs `nats-server` 2.10 or later on the PATH, or its path in NATS_SERVER, and Python 3.9 or later without any package. worker.py
 * and caller.py keep to the protocol of docs/wire.md; fleet.py and nats_client.py are what they share. You see:
 *
 *     count_words, in Python: 4
 *     double, called from Python: 42
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { tool } from "@toolrig/core";
import { NatsExecutor, NatsWorker } from "@toolrig/nats";
import { z } from "zod";
import { startNats } from "../fleet/nats.ts";

const { servers, stop } = await startNats();
const file = (name: string) => join(import.meta.dirname, name);

// A caller sets up the streams and buckets of a fleet that is new, as workers of Toolrig do.
const executor = await NatsExecutor.connect({ nats: { servers } });
const python = spawn("python3", [file("worker.py"), servers], { stdio: ["ignore", "pipe", "inherit"] });
process.once("exit", () => python.kill());
await once(python.stdout, "data"); // "ready"
const call = { id: "call_1", name: "count_words", arguments: { text: "to be or not" } };
console.log("count_words, in Python:", (await executor.call(call)).value);

const double = tool({
  name: "double",
  description: "Double a number",
  input: z.object({ n: z.number() }),
  safety: { sideEffects: "none", idempotent: true },
  execute: ({ n }) => 2 * n,
});
const worker = new NatsWorker({ nats: { servers }, tools: [double] });
await worker.start();
const { stdout } = await promisify(execFile)("python3", [file("caller.py"), servers, "double", '{"n": 21}']);
console.log("double, called from Python:", JSON.parse(stdout).value);

python.kill();
await worker.stop();
await executor.close();
await stop();
