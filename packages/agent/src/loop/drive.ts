import type { ToolDefinition } from "@toolrig/core";
import { defined, isThenable } from "@toolrig/core/kit";
import { answerCalls, type Begun } from "../calls/answer-calls.ts";
import { deliver, untilTold } from "../calls/deliver.ts";
import { pausesUsedUp, tokensUsedUp } from "../calls/limits.ts";
import { withOwnTools } from "../calls/own-calls.ts";
import { ArgumentPreview } from "../model/argument-preview.ts";
import { withExtractedCalls } from "../model/extracted-calls.ts";
import { type Inferred, infer } from "../model/infer.ts";
import type { AssistantMessage, Message, ToolCallPart } from "../model/message.ts";
import type { Ending, WaitingCall } from "../run/outcome.ts";
import type { RunState } from "../run/state.ts";
import { userMessage } from "../run/steering.ts";

/** A model that may make no more calls is shown no tools, so that it concludes. */
const NO_TOOLS: readonly ToolDefinition[] = [];

/** The model has nothing more to do until a call that is out comes back. */
const IDLE = Symbol("idle");

/**
 * The turns of a run: ask the model, answer its calls, until there is an answer or a reason to stop. A run whose model is
 * `idle` while calls are out goes on when there is something to tell it.
 */
export async function drive(run: RunState, idle = false): Promise<Ending> {
  for (let isIdle = idle; ; ) {
    const told = isIdle && !run.signal.aborted ? await untilTold(run) : undefined;
    if (run.signal.aborted) return run.aborted();
    const over = told ?? (await deliver(run));
    if (over !== undefined) return over;
    if (!run.steering.isEmpty) await run.say(run.steering.take());
    const spent = tokensUsedUp(run);
    if (spent !== undefined) return { status: "failed", error: spent };
    run.beginTurn();
    const shown = await prepareTurn(run);
    const tools = run.isConcluding ? NO_TOOLS : withOwnTools(run, run.settings.offered(run.messages));
    const { turn } = run;
    run.events.emit({ type: "turn.start", turn, engine: run.settings.engine.name, tools: tools.length });
    const inferred = await run.thinking(traced(run, () => ask(run, tools, shown)));
    if (!("message" in inferred)) return fail(run, inferred);
    const message = withCallsInText(run, inferred.message, tools);
    const calls = run.claimCalls(message);
    // A model that was filtered or cut off at once has said nothing, and providers refuse a message without content.
    if (message.content.length > 0) run.append(message);
    else run.countResponse(message);
    const ending =
      calls.length === 0 ? await answered(run, message) : await takeCalls(run, message, calls, undefined);
    endTurn(run, message, calls.length);
    isIdle = ending === IDLE;
    if (ending !== undefined && ending !== IDLE) return ending;
  }
}

/** Lets the hooks change what they want and the tools be chosen. Gives the messages that the model is shown. */
async function prepareTurn(run: RunState): Promise<readonly Message[]> {
  const { setup, runId, turn } = run;
  const { hooks } = setup;
  const shown = run.shown();
  let messages = isThenable(shown) ? await shown : shown;
  if (hooks.prepareTurn !== undefined) {
    const asked = hooks.prepareTurn({ runId, turn, messages: run.messages });
    const changes = await run.ask("prepareTurn", asked);
    if (changes !== undefined) run.settings.change(changes);
    messages = changes?.messages ?? messages;
  }
  if (hooks.transformContext !== undefined)
    messages = await run.ask("transformContext", hooks.transformContext({ runId, turn, messages }));
  const choosing = run.settings.chooseTools(run.messages);
  if (choosing !== undefined) await choosing;
  return messages;
}

function traced({ setup, settings, runId, turn }: RunState, ask: () => Promise<Inferred>): Promise<Inferred> {
  if (setup.tracer === undefined) return ask();
  return setup.tracer.inference<Inferred>({ runId, turn, engine: settings.engine.name }, ask);
}

function ask(
  run: RunState,
  tools: readonly ToolDefinition[],
  messages: readonly Message[],
): Promise<Inferred> {
  const { setup, settings, events, signal, turn } = run;
  const { engine, system, responseFormat } = settings;
  return infer({
    engine,
    request: {
      messages,
      tools,
      ...defined({ system, responseFormat }),
    },
    turn,
    events,
    signal,
    clock: setup.clock,
    idleMs: setup.idleMs,
    tokensLeft: run.allowance.tightest("tokens").left,
    retry: setup.retry,
    extract: setup.extract,
    preview: events.active ? new ArgumentPreview((name) => settings.schemaOf(name)) : undefined,
  });
}

/** Calls that the model wrote as text count when it made none in the way it should. */
function withCallsInText(
  { setup: { extract } }: RunState,
  message: AssistantMessage,
  tools: readonly ToolDefinition[],
): AssistantMessage {
  if (extract === undefined || message.content.some((part) => part.type === "tool-call")) return message;
  return withExtractedCalls(message, tools, extract);
}

/** The model has nothing more to do: the run ends, unless somebody has something more to say or calls are out. */
async function answered(run: RunState, message: AssistantMessage): Promise<Ending | typeof IDLE | undefined> {
  const { turn, messages, runId, text } = run;
  if (message.content.length > 0) await run.write([{ type: "message", turn, message }]);
  if (message.finishReason === "pause") return continuePaused(run);
  if (!run.steering.isEmpty) return undefined;
  if (!run.out.isEmpty) return IDLE;
  const asked = run.setup.hooks.onAnswer?.({ runId, turn, messages, message, text });
  const more = await run.ask("onAnswer", asked);
  const waiting = more === undefined ? run.followUps.take() : [userMessage(more)];
  if (waiting.length > 0) {
    await run.say(waiting);
    return undefined;
  }
  if (!run.steering.isEmpty) return undefined;
  return {
    status: "answered",
    finishReason: message.finishReason === "aborted" ? "other" : message.finishReason,
  };
}

/** The model's turn is not over: it is asked again with what it has said so far. */
function continuePaused(run: RunState): Ending | undefined {
  const error = pausesUsedUp(run);
  if (error !== undefined) return { status: "failed", error };
  run.beginRound(0);
  return undefined;
}

/** Answers the calls of a message and decides whether the run goes on. */
export async function takeCalls(
  run: RunState,
  message: AssistantMessage,
  calls: readonly ToolCallPart[],
  begun: Begun | undefined,
): Promise<Ending | undefined> {
  const { results, ending } = await answerCalls(run, message, calls, begun);
  if (ending !== undefined && ending.status !== "waiting") return ending;
  if (run.signal.aborted) {
    if (ending?.status === "waiting") await cancelWaits(run, ending.waits);
    return run.aborted();
  }
  if (ending !== undefined) return ending;
  const stop = results.find((result) => result.stop !== undefined)?.stop;
  if (stop !== undefined) return { status: "stopped", reason: stop };
  if (results.every((result) => result.terminate === true)) return { status: "terminated" };
  const { shouldStop } = run.setup.hooks;
  if (shouldStop === undefined) return undefined;
  const { runId, turn, messages } = run;
  const answer = await run.ask("shouldStop", shouldStop({ runId, turn, messages, message, results }));
  if (answer === false || answer === undefined) return undefined;
  return { status: "stopped", reason: answer === true ? "shouldStop asked to stop" : answer };
}

/** Nobody will come back for what an aborted run has parked. */
async function cancelWaits({ settings }: RunState, waits: readonly WaitingCall[]): Promise<void> {
  for (const { executionId } of waits)
    await settings.executor.waits?.cancel(executionId, { reason: "the run was aborted" }).catch(() => {});
}

export function endTurn(run: RunState, { finishReason, usage }: AssistantMessage, calls: number): void {
  run.events.emit({
    type: "turn.end",
    turn: run.turn,
    finishReason,
    calls,
    ...defined({ usage }),
  });
}

/** The response was interrupted or never came. What was said before an interruption stays in the transcript. */
async function fail(
  run: RunState,
  inferred: Exclude<Inferred, { message: AssistantMessage }>,
): Promise<Ending> {
  const { turn, events } = run;
  const { usage } = inferred;
  const told = usage === undefined ? {} : { usage };
  if ("fault" in inferred) {
    if (usage !== undefined) run.countUsage(usage);
    events.emit({ type: "turn.end", turn, finishReason: "error", calls: 0, ...told });
    const { kind: fault, message } = inferred.fault;
    const error = tokensUsedUp(run) ?? { code: "ENGINE_FAILED", message, fault };
    return { status: "failed", error };
  }
  const { interrupted: message } = inferred;
  if (message !== undefined) {
    run.append(message);
    await run.write([{ type: "message", turn, message }]);
  } else if (usage !== undefined) run.countUsage(usage);
  events.emit({ type: "turn.end", turn, finishReason: "aborted", calls: 0, ...told });
  return run.aborted();
}
