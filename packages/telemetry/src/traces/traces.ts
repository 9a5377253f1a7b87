import { type Context, type Span, SpanKind, type SpanOptions, SpanStatusCode } from "@opentelemetry/api";
import type { EventStream, Tracer } from "@toolrig/core";
import type {
  CallTracer,
  RunTrace,
  TracedAnswer,
  TracedInference,
  TracedOutcome,
  TracedRun,
} from "@toolrig/core/kit";
import { defined } from "@toolrig/core/kit";
import { type CallSpanOptions, CallSpans } from "./call-spans.ts";
import { carrierOf, spanContextIn } from "./carrier.ts";
import { placeOf, withSpan } from "./parents.ts";
import { ERROR_TYPE, GEN_AI, modelOf, OWN, usageAttributes } from "./semantics.ts";

export interface TraceOptions extends Omit<CallSpanOptions, "runSpan"> {
  /** The agent's name in spans. */
  readonly agent: string | undefined;
}

/** Runs, responses of models and calls as spans that nest as they do. */
export class Traces implements Tracer {
  readonly #options: TraceOptions;
  /** Executors may share a stream, and each call is told once on it. */
  readonly #streams = new WeakMap<EventStream, CallSpans>();
  /** Runs under way. */
  readonly #runs = new Map<string, Span>();

  constructor(options: TraceOptions) {
    this.#options = options;
  }

  calls(events: EventStream): CallTracer {
    const known = this.#streams.get(events);
    if (known !== undefined) return known;
    const runSpan = (runId: string | undefined) => (runId === undefined ? undefined : this.#runs.get(runId));
    const spans = new CallSpans(events, { ...this.#options, runSpan });
    this.#streams.set(events, spans);
    return spans;
  }

  async run<Outcome extends TracedOutcome>(
    { kind, runId, requestId, stepName, parentId, trace }: TracedRun,
    code: (trace: RunTrace) => Promise<Outcome>,
  ): Promise<Outcome> {
    const { agent } = this.#options;
    const operation = kind === "plan" ? "invoke_workflow" : "invoke_agent";
    const { parent, links } = placeOf(parentId === undefined ? undefined : this.#runs.get(parentId), trace);
    const attributes = {
      [GEN_AI.operation]: operation,
      [OWN.run]: runId,
      [OWN.request]: requestId,
      ...defined({ [kind === "plan" ? GEN_AI.workflow : GEN_AI.agent]: agent, [OWN.step]: stepName }),
    };
    const name = agent === undefined ? operation : `${operation} ${agent}`;
    const span = this.#start(name, { kind: SpanKind.INTERNAL, links, attributes }, parent);
    if (span === undefined) return code(UNTRACED_RUN);
    this.#runs.set(runId, span);
    try {
      const outcome = await withSpan(span, () => code(runTrace(span)));
      end(span, () => describeRun(span, outcome));
      return outcome;
    } finally {
      if (this.#runs.get(runId) === span) this.#runs.delete(runId);
    }
  }

  async inference<Answer extends TracedAnswer>(
    { runId, turn, engine }: TracedInference,
    code: () => Promise<Answer>,
  ): Promise<Answer> {
    const { model, provider } = modelOf(engine);
    const attributes = {
      [GEN_AI.operation]: "chat",
      [GEN_AI.model]: model,
      ...defined({ [GEN_AI.provider]: provider }),
      [OWN.run]: runId,
      [OWN.turn]: turn,
    };
    const { parent, links } = placeOf(this.#runs.get(runId));
    const span = this.#start(`chat ${model}`, { kind: SpanKind.CLIENT, links, attributes }, parent);
    if (span === undefined) return code();
    const answer = await withSpan(span, code);
    end(span, () => describeAnswer(span, answer));
    return answer;
  }

  /** Undefined when what somebody put into the SDK fails: nobody's run does for that. */
  #start(name: string, options: SpanOptions, parent: Context): Span | undefined {
    try {
      return this.#options.tracer.startSpan(name, options, parent);
    } catch {
      return undefined;
    }
  }
}

/** For a run without a span. */
export const UNTRACED_RUN: RunTrace = { carrier: () => undefined, resumes: () => {} };

function runTrace(span: Span): RunTrace {
  return {
    carrier: () => carrierOf(span),
    resumes(before) {
      const found = spanContextIn(before);
      if (found !== undefined) span.addLink({ context: found });
    },
  };
}

function end(span: Span, describe: () => void): void {
  try {
    describe();
    span.end();
  } catch {
    // As above.
  }
}

function describeRun(span: Span, { status, error, usage, turns, calls }: TracedOutcome): void {
  span.setAttributes({
    [OWN.status]: status,
    ...defined({ [OWN.turns]: turns, [OWN.calls]: calls }),
    ...usageAttributes(usage),
  });
  if (error !== undefined) fail(span, error.code);
}

function describeAnswer(span: Span, { message, fault, usage }: TracedAnswer): void {
  span.setAttributes(usageAttributes(message?.usage ?? usage));
  if (message !== undefined) span.setAttribute(GEN_AI.finishReasons, [message.finishReason]);
  else fail(span, fault?.kind ?? "aborted");
}

function fail(span: Span, type: string): void {
  span.setAttribute(ERROR_TYPE, type);
  span.setStatus({ code: SpanStatusCode.ERROR, message: type });
}
