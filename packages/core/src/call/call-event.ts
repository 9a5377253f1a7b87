import { freeze, snapshot } from "../copy.ts";
import type { CallOptions, ToolCall } from "./call.ts";
import type { CallEvent, CallFact, EventStream } from "./events.ts";

/** The execution that an event is about. */
export interface EventSubject {
  readonly id: string;
  readonly call: ToolCall;
  readonly options: Pick<CallOptions, "runId" | "requestId" | "stepName" | "parentId">;
  /** The execution whose tool made the call. */
  readonly parentId?: string | undefined;
  /** `seq` of the call's start, once that is out. */
  startSeq?: number | undefined;
}

/** Puts a fact of one execution on a stream. Costs nothing while nobody listens, and little while nobody wants such a fact. */
export function emitCallEvent(events: EventStream, at: number, subject: EventSubject, fact: CallFact): void {
  if (!events.active) return;
  const { id, call } = subject;
  const { runId, requestId, stepName } = subject.options;
  const parentId = subject.parentId ?? subject.options.parentId;
  const seq = events.nextSeq();
  if (fact.type === "call.start") subject.startSeq = seq;
  if (!events.wants(fact.type)) return;
  const { startSeq } = subject;
  const event: Told = { seq, at, executionId: id, callId: call.id, name: call.name };
  if (startSeq !== undefined) event.startSeq = startSeq;
  if (runId !== undefined) event.runId = runId;
  if (requestId !== undefined) event.requestId = requestId;
  if (stepName !== undefined) event.stepName = stepName;
  if (parentId !== undefined) event.parentId = parentId;
  // By hand: spreading something behind other fields takes several times as long, and this happens for every event.
  for (const key in fact) (event as unknown as Record<string, unknown>)[key] = fact[key as keyof CallFact];
  // One object for all who listen: what one of them does to it must not reach the recorder.
  events.emit((events.keeps(fact.type) ? freeze(event) : event) as CallEvent);
}

/** Of an event, what is known of every one. */
type Told = Omit<CallEvent, "type">;

/** The fact that a call has come, and who made it, for a stream. */
export function callStart(
  { arguments: given }: ToolCall,
  { source = "model", principal, trace }: Pick<CallOptions, "source" | "principal" | "trace">,
  events: EventStream,
): Extract<CallFact, { type: "call.start" }> {
  const keeps = events.keeps("call.start");
  const args = keeps ? snapshot(given) : given;
  const start: Extract<CallFact, { type: "call.start" }> = { type: "call.start", arguments: args, source };
  if (principal !== undefined) start.principal = keeps ? snapshot(principal) : principal;
  if (trace !== undefined) start.trace = trace;
  return start;
}
