import type { ToolCall, ToolDefinition, ToolResult } from "@toolrig/core";
import { type CallTracer, failedResult, isThenable, traceIn } from "@toolrig/core/kit";
import { encodeCall } from "../wire/messages.ts";
import { keyOf, type Priority } from "../wire/names.ts";
import type { SignedApproval } from "../wire/signed-approval.ts";
import { answerBefore } from "./answer-before.ts";
import { inBackground } from "./in-background.ts";
import type { NatsExecutorOptions, RemoteCallOptions } from "./options.ts";
import type { RemoteCalls } from "./remote-calls.ts";
import { cancelled, unanswered } from "./remote-failures.ts";
import type { Found, Route, Router } from "./router.ts";
import type { ToldCall } from "./told-call.ts";
import { answerUnsent } from "./withdraw-call.ts";

/** A call as it was made, and may be sent now. */
interface MadeCall {
  call: ToolCall;
  executionId: string;
  options: RemoteCallOptions;
  priority: Priority;
  held: ToldCall;
}

export interface SubmissionParts {
  caller: string | undefined;
  approve: NatsExecutorOptions["approval"];
  router: Router;
  calls: RemoteCalls;
  tracer: CallTracer | undefined;
  queueTimeoutMs: number;
  /** Aborts when the executor is closed. */
  closing: AbortSignal;
}

/**
 * Finds the queue of a call, asks for its approval where one is needed, sends it and waits. Throws or rejects for what cannot
 * be sent.
 */
export function submitCall(made: MadeCall, parts: SubmissionParts): Promise<ToolResult> {
  const route = parts.router.route(made.call, made.priority);
  return isThenable(route) ? route.then((found) => follow(found, made, parts)) : follow(route, made, parts);
}

function follow(route: Route, made: MadeCall, parts: SubmissionParts): Promise<ToolResult> {
  if ("refused" in route)
    return refuse(failedResult(made.call, made.executionId, route.refused), made, parts);
  const { approval } = made.options;
  if (approval === undefined && parts.approve !== undefined && route.approval !== undefined)
    return sendApproved(route, route.approval, parts.approve, made, parts);
  return send(route, approval, made, parts);
}

/** The answer of a call that is not sent. */
function refuse(
  result: ToolResult,
  { call, executionId, options, held: waits }: MadeCall,
  parts: SubmissionParts,
): Promise<ToolResult> {
  const asking = { signal: options.signal, waits };
  return answerUnsent({ call, executionId, known: options.executionId !== undefined, asking }, result, parts);
}

async function sendApproved(
  route: Found,
  definition: ToolDefinition,
  approve: NonNullable<SubmissionParts["approve"]>,
  made: MadeCall,
  parts: SubmissionParts,
): Promise<ToolResult> {
  const { call, executionId, options } = made;
  const { principal, signal } = options;
  const { caller, closing, queueTimeoutMs: limitMs } = parts;
  const ask = () => approve({ executionId, caller, call, principal, definition });
  const said = await answerBefore(ask, { signal, closing, limitMs });
  if ("ended" in said) return refuse(unanswered({ call, executionId }, said.ended, limitMs), made, parts);
  return send(route, said.answer, made, parts);
}

function send(
  { subject, backgroundMs }: Found,
  approval: SignedApproval | undefined,
  made: MadeCall,
  parts: SubmissionParts,
): Promise<ToolResult> {
  const { call, executionId, options, held: waits } = made;
  const { caller, calls, tracer } = parts;
  // Also while somebody was asked to approve it: an aborted signal tells nobody any more.
  if (options.signal?.aborted) return refuse(cancelled(made, "before it was submitted"), made, parts);
  const running = calls.run({
    executionId,
    key: keyOf(executionId, caller),
    call,
    subject,
    body: encodeCall(
      executionId,
      caller,
      call,
      { ...options, batched: waits.onAllowed !== undefined },
      approval,
    ),
    trace: tracer?.carrier(executionId) ?? traceIn(options.trace),
    signal: options.signal,
    known: options.executionId !== undefined,
    waits,
  });
  if (backgroundMs === undefined || options.onWaiting !== "return") return running;
  return inBackground(running, { call, executionId, afterMs: backgroundMs }).then((answer) => {
    if (answer.waiting?.kind === "background") waits.goesOn(answer.waiting);
    return answer;
  });
}
