import { extname } from "node:path";
import { Worker } from "node:worker_threads";

/** Of the thread that stands around the engine. Texts that cross are held in it; the code's own heap is not. */
const HEAP_MB = 256;
/** The engine calls itself within the thread's stack: it must not be full before its own. */
const STACK_MB = 16;

/** A thread with nothing of the process: no environment, no arguments, no flags, no standard streams. */
export function startThread(module: WebAssembly.Module): Worker {
  // A confined process may read the files of the engine alone, so that nothing of other packages is imported here.
  const program = new URL(`./thread${extname(import.meta.url)}`, import.meta.url);
  return new Worker(program, {
    workerData: { module },
    env: {},
    argv: [],
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, stackSizeMb: STACK_MB },
  });
}
