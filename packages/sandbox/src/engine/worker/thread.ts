/** Runs in a thread of its own: serves the runs that it is sent. */
import { parentPort, workerData } from "node:worker_threads";
import type { FromWorker, Request } from "../messages.ts";
import { serve } from "./serve.ts";

const { module } = workerData as { module: WebAssembly.Module };
const answer = serve(module);

parentPort?.on("message", async (request: Request) => {
  parentPort?.postMessage(await answer(request));
});
parentPort?.postMessage({ type: "ready" } satisfies FromWorker);
