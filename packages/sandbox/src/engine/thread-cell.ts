import { Cell } from "./cell.ts";
import type { FromWorker } from "./messages.ts";
import type { Wasm } from "./wasm.ts";
import { startThread } from "./worker/start-thread.ts";

/** A cell that is a thread of this process. */
export function threadCell({ module }: Wasm): Cell {
  return new Cell((events) => {
    const worker = startThread(module);
    worker.on("message", (message: FromWorker) => events.message(message));
    worker.on("error", (error) => events.gone(`The worker failed: ${error.message}`));
    worker.on("exit", (code) => events.gone(`The worker ended with ${code}.`));
    return {
      send: (request) => worker.postMessage(request),
      kill: () => void worker.terminate(),
      hold: (held) => (held ? worker.ref() : worker.unref()),
    };
  });
}
