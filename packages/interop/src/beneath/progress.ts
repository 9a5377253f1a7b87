import type { CallExecutor, ProgressUpdate } from "@toolrig/core";

type Told = (update: ProgressUpdate) => void;

/** Who wants to hear of which execution. One listener an executor, however many calls are under way. */
const listening = new WeakMap<object, Map<string, Told>>();

/** Tells of the progress of an execution. Returns how to stop. */
export function onProgress({ events }: CallExecutor, executionId: string, told: Told): () => void {
  let wanted = listening.get(events);
  if (wanted === undefined) {
    const all = new Map<string, Told>();
    events.on("call.update", ({ executionId: of, update }) => all.get(of)?.(update));
    listening.set(events, all);
    wanted = all;
  }
  wanted.set(executionId, told);
  return () => {
    if (wanted.get(executionId) === told) wanted.delete(executionId);
  };
}
