import { messageOf } from "../../plain.ts";
import type { Wait } from "../../stores/waits.ts";
import type { Question, WaitContext } from "../../tool/context.ts";
import type { AnyTool } from "../../tool/tool.ts";
import type { Pipeline } from "../pipeline.ts";
import type { Services } from "../services.ts";
import { type ParkedCall, revive, toolOf } from "./parked-call.ts";
import { askMeanwhile } from "./question.ts";
import { shownOf } from "./waiting-result.ts";

/** Tells a tool that nobody waits any more for what it began. What it says to that changes nothing. */
export async function tellTool(services: Services, wait: Wait, pipeline?: Pipeline): Promise<void> {
  if (wait.kind !== "deferred" && wait.kind !== "external") return;
  const tool = toolOf(services, wait.body as ParkedCall);
  if (tool?.cancel !== undefined) await askTool(services, wait, tool, "cancel", pipeline);
}

/** What a tool says of a call that it deferred. Undefined when it fails or does not answer in time: that is no answer. */
export async function askTool(
  services: Services,
  wait: Wait,
  tool: AnyTool,
  what: "check" | "cancel",
  pipeline?: Pipeline,
): Promise<{ value: unknown } | undefined> {
  const { clock, answerMs, keeper } = services;
  const parked = wait.body as ParkedCall;
  const late = new AbortController();
  const giveUp = () => late.abort();
  const timer = clock.set(giveUp, answerMs);
  const { stopped } = keeper;
  stopped.addEventListener("abort", giveUp, { once: true });
  const execution = pipeline === undefined ? undefined : revive(services, pipeline, wait);
  const { runId, principal } = parked.options;
  const context: WaitContext = {
    signal: late.signal,
    executionId: wait.executionId,
    callId: wait.callId,
    runId,
    principal,
    args: parked.args,
    checks: parked.checks,
    update: (update) =>
      execution?.emit({
        type: "call.update",
        update: typeof update === "string" ? { content: update } : update,
      }),
    ask: (async (question: Question) =>
      askMeanwhile(services, wait, question, (asked) =>
        execution?.emit({ type: "call.waiting", waiting: shownOf(asked), parked: true }),
      )) as WaitContext["ask"],
  };
  try {
    const silent = new Promise<undefined>((resolve) => {
      late.signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    const answer = Promise.resolve().then(() => tool[what]?.(parked.ref, context));
    const value = await Promise.race([answer.then((given) => ({ given })), silent]);
    // Whatever comes of it later is nobody's any more.
    if (value === undefined) answer.catch(() => {});
    return value === undefined ? undefined : { value: value.given };
  } catch (error) {
    execution?.emit({
      type: "call.log",
      level: "warn",
      message: `${what} of ${tool.name} failed: ${messageOf(error)}`,
    });
    return undefined;
  } finally {
    clock.clear(timer);
    stopped.removeEventListener("abort", giveUp);
  }
}
