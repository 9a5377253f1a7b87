import type { ToolResult } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import type { UserMessage } from "../model/message.ts";
import { markedAsData } from "../model/untrusted.ts";
import type { Ending } from "../run/outcome.ts";
import type { RunState } from "../run/state.ts";
import { takeNote } from "./take-results.ts";

/** Gives the model the results that have come since it went on. The run ends when one of them says so. */
export async function deliver(run: RunState): Promise<Ending | undefined> {
  if (!run.out.hasResult) return undefined;
  const arrived = run.out.take().map(({ call, result }) => takeNote(run, call.call, result));
  await run.say(arrived.map(asMessage));
  const stop = arrived.find((result) => result.stop !== undefined)?.stop;
  return stop === undefined ? undefined : { status: "stopped", reason: stop };
}

function asMessage({ callId, name, executionId, isError, content, labels }: ToolResult): UserMessage {
  const what = `The ${isError ? "failure" : "result"} of ${name} (call ${callId}, id ${executionId})`;
  return {
    role: "user",
    origin: "result",
    result: { callId, name, executionId, isError, ...defined({ labels }) },
    content: markedAsData(content, what),
  };
}

/** The model has nothing more to do while calls are out: waits until there is something to tell it, or nothing will come. */
export async function untilTold(run: RunState): Promise<Ending | undefined> {
  const { out, signal, steering, followUps } = run;
  while (!signal.aborted && steering.isEmpty && !out.hasResult) {
    const more = followUps.take();
    if (more.length > 0) {
      await run.say(more);
      return undefined;
    }
    if (out.isLeft) return { status: "waiting", waits: out.list() };
    await out.change(signal);
  }
  return undefined;
}
