import { type ContentPart, type ToolResult, textOf } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import { decode } from "@toolrig/json";
import type { Run } from "../loop/run.ts";
import type { FinishReason } from "../model/engine.ts";
import type { UserMessage } from "../model/message.ts";
import type { Ending, RunError } from "../run/outcome.ts";
import { textFor } from "./error-text.ts";
import { type UiFact, UiFacts } from "./ui-facts.ts";

/** The chunks of the AI SDK's UI message stream protocol that a run gives. */
export type UiMessageChunk =
  | { type: "start"; messageId?: string; messageMetadata: { runId: string } }
  | { type: "start-step" | "finish-step" | "reset-step" }
  | { type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; id: string }
  | { type: "text-delta" | "reasoning-delta"; id: string; delta: string }
  | { type: "tool-input-start"; toolCallId: string; toolName: string }
  | { type: "tool-input-delta"; toolCallId: string; inputTextDelta: string }
  | { type: "tool-input-available"; toolCallId: string; toolName: string; input: unknown }
  | { type: "tool-approval-request"; approvalId: string; toolCallId: string; reason?: string }
  | { type: "tool-approval-response"; approvalId: string; approved: boolean }
  | { type: "tool-output-available"; toolCallId: string; output: unknown }
  | { type: "tool-output-error"; toolCallId: string; errorText: string }
  | { type: "tool-output-denied"; toolCallId: string }
  | { type: `data-${string}`; id: string; data: unknown; transient?: boolean }
  | { type: "steering-message"; id: string; parts: { type: "text"; text: string }[] }
  | { type: "error"; errorText: string }
  | { type: "abort"; reason: string }
  | { type: "finish"; finishReason: Exclude<FinishReason, "pause"> };

export interface UiMessageStreamOptions {
  /** Id of the message that the chunks belong to. Default: the client's, which continues the last message of the assistant. */
  messageId?: string;
  /** Whether reasoning is sent. Default true. */
  sendReasoning?: boolean;
  /** Text for the user when the run fails. Default: the error's code, since a message may hold what users are not to see. */
  errorText?: (error: RunError) => string;
}

/**
 * Returns a run as a UI message stream of the AI SDK, so that `useChat` shows text, reasoning, calls while they are written, approvals,
 * results and errors. The stream reads the run to its end, whether or not it is read, and never fails. A waiting call that is no
 * approval is a `data-waiting` part, progress of a tool a transient `data-progress` part.
 *
 * @example
 * ```ts
 * import { AgentLoop, scriptedEngine, toUIMessageStream } from "@toolrig/agent";
 *
 * const run = new AgentLoop({ engine: scriptedEngine(["Hello!"]) }).run("Hi.");
 * const types = [];
 * for await (const chunk of toUIMessageStream(run)) types.push(chunk.type);
 * console.log(types.join(" ")); //=> start start-step text-start text-delta text-end finish-step finish
 * ```
 */
export function toUIMessageStream(
  run: Run,
  options: UiMessageStreamOptions = {},
): ReadableStream<UiMessageChunk> {
  let isOpen = true;
  return new ReadableStream<UiMessageChunk>({
    start(controller) {
      const send = (chunk: UiMessageChunk) => {
        if (isOpen) controller.enqueue(chunk);
      };
      writeRun(run, options, send).then(
        () => isOpen && controller.close(),
        (error) => isOpen && controller.error(error),
      );
    },
    cancel() {
      isOpen = false;
    },
  });
}

async function writeRun(
  run: Run,
  options: UiMessageStreamOptions,
  send: (chunk: UiMessageChunk) => void,
): Promise<void> {
  const facts = new UiFacts();
  const { sendReasoning = true } = options;
  const tell = (told: readonly UiFact[]) => {
    for (const fact of told) {
      if (!sendReasoning && "kind" in fact && fact.kind === "reasoning") continue;
      for (const chunk of chunksOf(fact, options)) send(chunk);
    }
  };
  for await (const event of run) tell(facts.take(event));
  tell(facts.end(run.runId));
  for (const chunk of lastChunks(await run.outcome, options)) send(chunk);
}

function chunksOf(fact: UiFact, { messageId }: UiMessageStreamOptions): UiMessageChunk[] {
  switch (fact.type) {
    case "start":
      return [{ type: "start", ...defined({ messageId }), messageMetadata: { runId: fact.runId } }];
    case "step.start":
      return [{ type: "start-step" }];
    case "step.end":
      return [{ type: "finish-step" }];
    case "void":
      return [{ type: "reset-step" }];
    case "part.start":
      return [{ type: `${fact.kind}-start`, id: fact.id }];
    case "part.delta":
      return [{ type: `${fact.kind}-delta`, id: fact.id, delta: fact.text }];
    case "part.end":
      return [{ type: `${fact.kind}-end`, id: fact.id }];
    case "call.start":
      return [{ type: "tool-input-start", toolCallId: fact.callId, toolName: fact.name }];
    case "call.delta":
      return [{ type: "tool-input-delta", toolCallId: fact.callId, inputTextDelta: fact.delta }];
    case "call": {
      const { id: toolCallId, name: toolName, arguments: text } = fact.call;
      return [{ type: "tool-input-available", toolCallId, toolName, input: inputOf(text) }];
    }
    case "call.void":
      return [{ type: "tool-output-error", toolCallId: fact.callId, errorText: "The call was not made." }];
    case "call.progress":
      return [
        {
          type: "data-progress",
          id: fact.callId,
          data: { toolCallId: fact.callId, ...fact.update },
          transient: true,
        },
      ];
    case "call.waiting":
    case "call.resumed":
      return waitingChunks(fact);
    case "call.result":
      return [resultChunk(fact.result)];
    case "said":
      return [
        { type: "steering-message", id: fact.id, parts: [{ type: "text", text: saidText(fact.message) }] },
      ];
  }
}

/** An approval goes by the execution's id: it is what `approvals.approve` takes. */
function waitingChunks(fact: Extract<UiFact, { type: "call.waiting" | "call.resumed" }>): UiMessageChunk[] {
  const { callId: toolCallId, executionId, waiting } = fact;
  const isOver = fact.type === "call.resumed";
  if (waiting.kind !== "approval") {
    const data = { toolCallId, executionId, waiting, ...(isOver && { ended: fact.how }) };
    return [{ type: "data-waiting", id: waiting.id, data }];
  }
  if (isOver)
    return [{ type: "tool-approval-response", approvalId: executionId, approved: fact.how === "approved" }];
  return [
    {
      type: "tool-approval-request",
      approvalId: executionId,
      toolCallId,
      ...defined({ reason: waiting.note }),
    },
  ];
}

function resultChunk(result: ToolResult): UiMessageChunk {
  const { callId: toolCallId, failure } = result;
  if (failure?.code === "TOOL_APPROVAL_REJECTED") return { type: "tool-output-denied", toolCallId };
  if (result.isError) return { type: "tool-output-error", toolCallId, errorText: textOf(result.content) };
  return { type: "tool-output-available", toolCallId, output: outputOf(result) };
}

/** The value that the tool returned; its content where there is none, or where the model was told something else than text. */
function outputOf({ value, content }: ToolResult): unknown {
  if (value !== undefined && value !== null) return value;
  return content.every(isText) ? textOf(content) : { content };
}

function isText({ type }: ContentPart): boolean {
  return type === "text";
}

/** The arguments as a value, or the text where they cannot be read. */
function inputOf(text: string): unknown {
  const decoded = decode(text);
  return decoded.ok ? decoded.value : text;
}

function saidText({ content }: UserMessage): string {
  return typeof content === "string" ? content : textOf(content);
}

function lastChunks(outcome: Ending, { errorText }: UiMessageStreamOptions): UiMessageChunk[] {
  switch (outcome.status) {
    case "answered": {
      const { finishReason } = outcome;
      return [{ type: "finish", finishReason: finishReason === "pause" ? "other" : finishReason }];
    }
    case "terminated":
      return [{ type: "finish", finishReason: "stop" }];
    case "waiting":
      return [{ type: "finish", finishReason: "tool-calls" }];
    case "stopped":
      return [{ type: "finish", finishReason: "other" }];
    case "aborted":
      return [{ type: "abort", reason: outcome.error.message }];
    case "failed":
      return [
        { type: "error", errorText: textFor(outcome.error, errorText) },
        { type: "finish", finishReason: "error" },
      ];
  }
}
