import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { Cell } from "./cell.ts";
import type { Reply } from "./messages.ts";
import type { Wasm } from "./wasm.ts";

const PROGRAM = new URL(`./worker/thread${extname(import.meta.url)}`, import.meta.url);

/** Of the thread that stands around the engine. Texts that cross are held in it; the code's own heap is not. */
const HEAP_MB = 256;
/** The engine calls itself within the thread's stack: it must not be full before its own. */
const STACK_MB = 16;

/** A thread with nothing of the process: no environment, no arguments, no standard streams. */
export function threadCell({ module }: Wasm): Cell {
  return new Cell((events) => {
    const worker = new Worker(PROGRAM, {
      workerData: { module },
      env: {},
      argv: [],
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, stackSizeMb: STACK_MB },
    });
    worker.on("message", (message: Reply | { type: "ready" }) =>
      message.type === "ready" ? events.ready() : events.reply(message),
    );
    worker.on("error", (error) => events.gone(`The worker failed: ${error.message}`));
    worker.on("exit", (code) => events.gone(`The worker ended with ${code}.`));
    return {
      send: (request) => worker.postMessage(request),
      kill: () => void worker.terminate(),
      hold: (held) => (held ? worker.ref() : worker.unref()),
    };
  });
}
