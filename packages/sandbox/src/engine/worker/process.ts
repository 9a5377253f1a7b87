/** Runs in a process of its own: starts the same thread as there would be without, and passes on what is said. */
import type { FromWorker, Request } from "../messages.ts";
import { compileWasm } from "../wasm.ts";
import { startThread } from "./start-thread.ts";

const { module } = await compileWasm(Number(process.argv[2]));
const thread = startThread(module);

process.on("message", (request: Request) => thread.postMessage(request));
thread.on("message", (message: FromWorker) => process.send?.(message));
thread.on("exit", () => process.exit(1));
// Whoever started it is gone. This thread is free to see that, whatever the other does.
process.on("disconnect", () => process.exit(0));
