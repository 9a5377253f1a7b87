import { type ContentPart, type ToolResult, textOf } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import type { Run } from "../loop/run.ts";
import type { Usage } from "../model/engine.ts";
import type { RunError, RunOutcome, WaitingCall } from "../run/outcome.ts";
import { textFor } from "./error-text.ts";
import { type UiFact, UiFacts } from "./ui-facts.ts";

interface AgUiInterrupt {
  id: string;
  reason: string;
  message?: string;
  toolCallId: string;
  expiresAt?: string;
}

type AgUiContent = { type: "text"; text: string } | AgUiMedia;
interface AgUiMedia {
  type: "image" | "audio";
  source: { type: "data"; value: string; mimeType: string };
}

type AgUiUsage = Omit<Usage, "cacheWriteTokens"> & { cacheWriteInputTokens?: number };

/** The events of the AG-UI protocol, version 1, that a run gives. */
export type AgUiEvent =
  | { type: "RUN_STARTED"; threadId: string; runId: string; protocolVersion: "1.0" }
  | {
      type: "RUN_FINISHED";
      threadId: string;
      runId: string;
      result?: unknown;
      outcome:
        | { type: "success" }
        | { type: "cancelled" }
        | { type: "interrupt"; interrupts: AgUiInterrupt[] };
      usage: AgUiUsage[];
    }
  | { type: "RUN_ERROR"; message: string; code: string }
  | { type: "STEP_STARTED" | "STEP_FINISHED"; stepName: string }
  | { type: "TEXT_MESSAGE_START"; messageId: string; role: "assistant" | "user" }
  | { type: "TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT"; messageId: string; delta: string }
  | {
      type: "TEXT_MESSAGE_END" | "REASONING_START" | "REASONING_MESSAGE_END" | "REASONING_END";
      messageId: string;
    }
  | { type: "REASONING_MESSAGE_START"; messageId: string; role: "reasoning" }
  | { type: "TOOL_CALL_START"; toolCallId: string; toolCallName: string }
  | { type: "TOOL_CALL_ARGS"; toolCallId: string; delta: string }
  | { type: "TOOL_CALL_END"; toolCallId: string }
  | {
      type: "TOOL_CALL_RESULT";
      messageId: string;
      toolCallId: string;
      role: "tool";
      content: string | AgUiContent[];
    }
  | { type: "CUSTOM"; name: string; value: unknown };

export interface AgUiOptions {
  /** Id of the conversation, as the client's `RunAgentInput` has it. Default: the run's id. */
  threadId?: string;
  /** Id of the run at the client, as its `RunAgentInput` has it. Default: the run's id. */
  runId?: string;
  /** Text for the user when the run fails. Default: the error's code, since a message may hold what users are not to see. */
  errorText?: (error: RunError) => string;
}

/**
 * Yields a run as events of AG-UI, version 1: text, reasoning, calls with their arguments, results, steps and the end. A suspended run
 * ends with the outcome `interrupt`, one interrupt a waiting call; the id of an approval's is the execution's. Text of a response that
 * failed and was asked for again stays, followed by the custom event `toolrig.void`: the protocol cannot take text back.
 *
 * @example
 * ```ts
 * import { AgentLoop, scriptedEngine, toAgUi } from "@toolrig/agent";
 *
 * const run = new AgentLoop({ engine: scriptedEngine(["Hello!"]) }).run("Hi.");
 * const types = [];
 * for await (const event of toAgUi(run)) types.push(event.type);
 * console.log(types.at(0), types.at(-1)); //=> RUN_STARTED RUN_FINISHED
 * ```
 */
export async function* toAgUi(run: Run, options: AgUiOptions = {}): AsyncGenerator<AgUiEvent> {
  const { threadId = run.runId, runId = run.runId, errorText } = options;
  const ids = { threadId, runId, calls: new CallIds() };
  const facts = new UiFacts();
  for await (const event of run) for (const fact of facts.take(event)) yield* eventsOf(fact, ids);
  for (const fact of facts.end(run.runId)) yield* eventsOf(fact, ids);
  const outcome = await run.outcome;
  if (outcome.status === "failed") {
    yield { type: "RUN_ERROR", message: textFor(outcome.error, errorText), code: outcome.error.code };
  } else {
    yield {
      type: "RUN_FINISHED",
      threadId,
      runId,
      ...endOf(outcome, ids.calls),
      usage: [usageOf(outcome.usage)],
    };
  }
}

/**
 * Ids of calls at the client, which goes on with a call that it knows. So the id of one that was begun and not made is given to no other
 * call: a model that is asked again may use it once more.
 */
class CallIds {
  readonly #unmade = new Map<string, number>();

  of(callId: string): string {
    const unmade = this.#unmade.get(callId);
    return unmade === undefined ? callId : `${callId}~${unmade + 1}`;
  }

  *end(callId: string): Generator<AgUiEvent> {
    yield { type: "TOOL_CALL_END", toolCallId: this.of(callId) };
    this.#unmade.set(callId, (this.#unmade.get(callId) ?? 0) + 1);
  }
}

interface Ids {
  threadId: string;
  runId: string;
  calls: CallIds;
}

function* eventsOf(fact: UiFact, ids: Ids): Generator<AgUiEvent> {
  const { threadId, runId, calls } = ids;
  switch (fact.type) {
    case "start":
      yield { type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" };
      return;
    case "step.start":
      yield { type: "STEP_STARTED", stepName: `turn ${fact.turn}` };
      return;
    case "step.end":
      yield { type: "STEP_FINISHED", stepName: `turn ${fact.turn}` };
      return;
    case "void":
      for (const callId of fact.callIds) yield* calls.end(callId);
      yield { type: "CUSTOM", name: "toolrig.void", value: { step: `turn ${fact.turn}` } };
      return;
    case "part.start":
    case "part.delta":
    case "part.end":
      yield* partEvents(fact, `${runId}-${fact.id}`);
      return;
    case "call.start":
      yield { type: "TOOL_CALL_START", toolCallId: calls.of(fact.callId), toolCallName: fact.name };
      return;
    case "call.delta":
      yield { type: "TOOL_CALL_ARGS", toolCallId: calls.of(fact.callId), delta: fact.delta };
      return;
    case "call":
      yield* callEvents(fact, calls.of(fact.call.id));
      return;
    case "call.void":
      yield* calls.end(fact.callId);
      return;
    case "call.progress": {
      const value = { toolCallId: calls.of(fact.callId), ...fact.update };
      yield { type: "CUSTOM", name: "toolrig.progress", value };
      return;
    }
    case "call.waiting":
    case "call.resumed": {
      const { type, ...value } = { ...fact, callId: calls.of(fact.callId) };
      yield { type: "CUSTOM", name: `toolrig.${type.slice("call.".length)}`, value };
      return;
    }
    case "call.result": {
      const { callId, executionId: messageId } = fact.result;
      yield {
        type: "TOOL_CALL_RESULT",
        messageId,
        toolCallId: calls.of(callId),
        role: "tool",
        content: contentOf(fact.result),
      };
      return;
    }
    case "said": {
      const { content } = fact.message;
      const messageId = `${runId}-${fact.id}`;
      const delta = typeof content === "string" ? content : textOf(content);
      yield { type: "TEXT_MESSAGE_START", messageId, role: "user" };
      if (delta !== "") yield { type: "TEXT_MESSAGE_CONTENT", messageId, delta };
      yield { type: "TEXT_MESSAGE_END", messageId };
    }
  }
}

function* partEvents(
  fact: Extract<UiFact, { type: "part.start" | "part.delta" | "part.end" }>,
  messageId: string,
): Generator<AgUiEvent> {
  const isText = fact.kind === "text";
  switch (fact.type) {
    case "part.start":
      if (isText) {
        yield { type: "TEXT_MESSAGE_START", messageId, role: "assistant" };
      } else {
        yield { type: "REASONING_START", messageId };
        yield { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" };
      }
      return;
    case "part.delta":
      yield {
        type: isText ? "TEXT_MESSAGE_CONTENT" : "REASONING_MESSAGE_CONTENT",
        messageId,
        delta: fact.text,
      };
      return;
    case "part.end":
      yield { type: isText ? "TEXT_MESSAGE_END" : "REASONING_MESSAGE_END", messageId };
      if (!isText) yield { type: "REASONING_END", messageId };
  }
}

function* callEvents(
  { call, streamed }: Extract<UiFact, { type: "call" }>,
  toolCallId: string,
): Generator<AgUiEvent> {
  const { name: toolCallName, arguments: delta } = call;
  if (!streamed) {
    yield { type: "TOOL_CALL_START", toolCallId, toolCallName };
    if (delta !== "") yield { type: "TOOL_CALL_ARGS", toolCallId, delta };
  }
  yield { type: "TOOL_CALL_END", toolCallId };
}

function contentOf({ content }: ToolResult): string | AgUiContent[] {
  return content.every(({ type }) => type === "text") ? textOf(content) : content.map(partOf);
}

function partOf(part: ContentPart): AgUiContent {
  if (part.type === "text") return part;
  if (part.type === "resource") return { type: "text", text: part.text ?? part.uri };
  return { type: part.type, source: { type: "data", value: part.data, mimeType: part.mimeType } };
}

type Finished = Pick<Extract<AgUiEvent, { type: "RUN_FINISHED" }>, "outcome" | "result">;

function endOf(outcome: Exclude<RunOutcome, { status: "failed" }>, calls: CallIds): Finished {
  if (outcome.status === "aborted") return { outcome: { type: "cancelled" } };
  if (outcome.status === "waiting")
    return {
      outcome: { type: "interrupt", interrupts: outcome.waits.map((wait) => interruptOf(wait, calls)) },
    };
  const result = outcome.status === "answered" ? (outcome.value ?? outcome.text) : outcome.text;
  return { outcome: { type: "success" }, result };
}

function interruptOf({ executionId, callId, waiting }: WaitingCall, calls: CallIds): AgUiInterrupt {
  const { id, kind, note: message, expiresAt } = waiting;
  return {
    id: kind === "approval" ? executionId : id,
    reason: kind,
    toolCallId: calls.of(callId),
    ...defined({
      message,
      expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
    }),
  };
}

function usageOf({ cacheWriteTokens: cacheWriteInputTokens, ...usage }: Usage): AgUiUsage {
  return { ...usage, ...defined({ cacheWriteInputTokens }) };
}
