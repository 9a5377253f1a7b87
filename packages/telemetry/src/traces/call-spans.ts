import { isSpanContextValid, type Span, SpanKind, SpanStatusCode, type Tracer } from "@opentelemetry/api";
import type { CallEvent, EventStream, Redactor, TraceCarrier } from "@toolrig/core";
import type { CallTracer } from "@toolrig/core/kit";
import { carrierOf, spanContextIn } from "./carrier.ts";
import { type Place, placeOf, withSpan } from "./parents.ts";
import { ERROR_TYPE, GEN_AI, OWN } from "./semantics.ts";
import { shown } from "./shown.ts";

type Told<Type extends CallEvent["type"]> = Extract<CallEvent, { type: Type }>;

/** What the spans of calls are made with. */
export interface CallSpanOptions {
  readonly tracer: Tracer;
  readonly redactor: Redactor;
  readonly recordArguments: boolean;
  readonly recordResults: boolean;
  runSpan(runId: string | undefined): Span | undefined;
}

/** A call whose span has not ended. */
interface Open {
  readonly executionId: string;
  readonly runId: string | undefined;
  readonly span: Span;
}

/** Characters of a name in a span: it comes from a model, and may be anything. */
const MAX_NAME = 128;

/** One span a call, from its start to its end or until it is parked. Reads the stream of events, and changes nothing. */
export class CallSpans implements CallTracer {
  readonly #options: CallSpanOptions;
  /** By `seq` of their start: two calls may come under one execution id. */
  readonly #bySeq = new Map<number, Open>();
  /** The latest of an execution. */
  readonly #byId = new Map<string, Open>();

  constructor(events: EventStream, options: CallSpanOptions) {
    this.#options = options;
    events.watch("call.start", (event) => this.#start(event));
    events.watch("call.verdict", (event) => this.#verdict(event));
    events.watch("call.retry", (event) => this.#retry(event));
    events.watch("call.waiting", (event) => this.#wait(event));
    events.watch("call.resumed", (event) => this.#resume(event));
    events.watch("call.end", (event) => this.#end(event));
  }

  within<Answer>(
    { id, startSeq }: { id: string; startSeq?: number | undefined },
    code: () => Answer,
  ): Answer {
    const open = this.#openOf(id, startSeq);
    return open === undefined ? code() : withSpan(open.span, code);
  }

  carrier(executionId: string): TraceCarrier | undefined {
    const open = this.#byId.get(executionId);
    return open === undefined ? undefined : carrierOf(open.span);
  }

  #openOf(executionId: string, startSeq: number | undefined): Open | undefined {
    const open = startSeq === undefined ? undefined : this.#bySeq.get(startSeq);
    return open?.executionId === executionId ? open : this.#byId.get(executionId);
  }

  #start(event: Told<"call.start">): void {
    const { trace: from, source } = event;
    this.#begin(event, placeOf(this.#cause(event), from), source);
  }

  /** The tool that made the call, if it is of the same run; else the run; else whoever started that. */
  #cause({ parentId, runId }: CallEvent): Span | undefined {
    const parent = parentId === undefined ? undefined : this.#byId.get(parentId);
    if (parent !== undefined && parent.runId === runId) return parent.span;
    return this.#options.runSpan(runId) ?? parent?.span;
  }

  #begin(event: CallEvent, place: Place, source: string): void {
    const { executionId, callId, runId, requestId, stepName, startSeq } = event;
    const name = event.name.slice(0, MAX_NAME);
    const span = this.#options.tracer.startSpan(
      `execute_tool ${name}`,
      {
        kind: SpanKind.INTERNAL,
        links: place.links,
        attributes: {
          [GEN_AI.operation]: "execute_tool",
          [GEN_AI.tool]: name,
          [GEN_AI.toolType]: "function",
          [GEN_AI.callId]: callId.slice(0, MAX_NAME),
          [OWN.execution]: executionId,
          ...(runId !== undefined && { [OWN.run]: runId }),
          ...(requestId !== undefined && { [OWN.request]: requestId }),
          ...(stepName !== undefined && { [OWN.step]: stepName }),
          [OWN.source]: source,
        },
      },
      place.parent,
    );
    // Without an SDK there is nothing to follow.
    if (!isSpanContextValid(span.spanContext())) return;
    const open: Open = { executionId, runId, span };
    if (startSeq !== undefined) this.#bySeq.set(startSeq, open);
    this.#byId.set(executionId, open);
  }

  #verdict(event: Told<"call.verdict">): void {
    const { guard, verdict, phase } = event;
    this.#note(event, "toolrig.verdict", { guard, verdict, phase });
  }

  #retry(event: Told<"call.retry">): void {
    const { attempt, delayMs, failure } = event;
    this.#note(event, "toolrig.retry", { attempt, delay_ms: delayMs, [ERROR_TYPE]: failure.code });
  }

  #wait(event: Told<"call.waiting">): void {
    const { waiting, parked } = event;
    const open = this.#note(event, "toolrig.waiting", { kind: waiting.kind, parked });
    if (!parked || open === undefined) return;
    open.span.setAttribute(OWN.waiting, waiting.kind);
    this.#close(event, open);
  }

  /** One that another process parked, or this one before: its story goes on in a span of its own, linked to the first. */
  #resume(event: Told<"call.resumed">): void {
    const { waiting, how, waitedMs, story } = event;
    if (story !== undefined && this.#openOf(event.executionId, event.startSeq) === undefined) {
      const first = story.trace === undefined ? undefined : spanContextIn(story.trace);
      const { parent } = placeOf(undefined, story.trace);
      this.#begin(event, { parent, links: first === undefined ? [] : [{ context: first }] }, story.source);
    }
    this.#note(event, "toolrig.resumed", { kind: waiting.kind, how, waited_ms: waitedMs });
  }

  #note(
    event: CallEvent,
    name: string,
    attributes: Record<string, string | number | boolean>,
  ): Open | undefined {
    const open = this.#openOf(event.executionId, event.startSeq);
    open?.span.addEvent(name, attributes);
    return open;
  }

  #end(event: Told<"call.end">): void {
    const open = this.#openOf(event.executionId, event.startSeq);
    if (open === undefined) return;
    const { span } = open;
    if (span.isRecording()) this.#describe(span, event);
    this.#close(event, open);
  }

  /** Arguments as they were read: in the text that a model wrote, no field could be told to be secret. */
  #describe(span: Span, { result, args }: Told<"call.end">): void {
    const { recordArguments, recordResults, redactor } = this.#options;
    const { failure, attempts, cached, replayed, decoded, waitedMs, content } = result;
    span.setAttributes({
      [OWN.attempts]: attempts,
      ...(cached === true && { [OWN.cached]: true }),
      ...(replayed === true && { [OWN.replayed]: true }),
      ...(decoded.mode !== "strict" && { [OWN.repaired]: decoded.mode }),
      ...(waitedMs !== undefined && { [OWN.waitedMs]: waitedMs }),
      ...(recordArguments && args !== undefined && { [GEN_AI.arguments]: shown(args, redactor) }),
      ...(recordResults && { [GEN_AI.result]: shown(result.value ?? content, redactor) }),
    });
    if (failure === undefined) return;
    if (failure.code === "TOOL_NOT_FOUND") span.updateName("execute_tool");
    span.setAttribute(ERROR_TYPE, failure.code);
    // What a failure says may quote arguments and results.
    const message = recordResults ? redactor.text(failure.message) : failure.code;
    span.setStatus({ code: SpanStatusCode.ERROR, message });
  }

  #close({ startSeq }: CallEvent, open: Open): void {
    open.span.end();
    if (startSeq !== undefined && this.#bySeq.get(startSeq) === open) this.#bySeq.delete(startSeq);
    if (this.#byId.get(open.executionId) === open) this.#byId.delete(open.executionId);
  }
}
