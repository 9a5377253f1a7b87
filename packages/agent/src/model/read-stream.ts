import { type Clock, formatDuration } from "@toolrig/core/kit";
import type { EngineEvent } from "./engine.ts";
import { ModelFault } from "./faults.ts";

export interface Patience {
  clock: Clock;
  /** The run's. */
  signal: AbortSignal;
  /** How long the model may be silent. */
  idleMs: number;
}

/**
 * Reads a model's stream to its end. Gives up when the run is aborted or the model falls silent, whether or not the
 * engine heeds `engineSignal`, which is aborted in both cases. Throws what the stream throws, a `ModelFault` when idle,
 * and the signal's reason when aborted.
 */
export async function readStream(
  stream: AsyncIterable<EngineEvent>,
  { clock, signal, idleMs }: Patience,
  engine: AbortController,
  take: (event: EngineEvent) => void,
): Promise<void> {
  const iterator = stream[Symbol.asyncIterator]();
  let giveUp: (reason: unknown) => void = () => {};
  const onAbort = () => giveUp(signal.reason);
  const onIdle = () =>
    giveUp(new ModelFault("idle", `The model sent nothing for ${formatDuration(idleMs)}.`));
  signal.addEventListener("abort", onAbort, { once: true });
  let timer: unknown;
  try {
    for (;;) {
      timer = clock.set(onIdle, idleMs);
      const step = await new Promise<IteratorResult<EngineEvent>>((resolve, reject) => {
        giveUp = reject;
        if (signal.aborted) return reject(signal.reason);
        iterator.next().then(resolve, reject);
      });
      clock.clear(timer);
      if (step.done === true) return;
      take(step.value);
    }
  } catch (error) {
    clock.clear(timer);
    engine.abort(error);
    // A generator that is stuck never answers; nobody waits for it.
    void iterator.return?.().then(undefined, () => {});
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
