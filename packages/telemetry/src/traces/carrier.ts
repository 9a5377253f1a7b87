import {
  type Context,
  createTraceState,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  trace,
} from "@opentelemetry/api";
import type { TraceCarrier } from "@toolrig/core";

/** What another process needs to go on with a span's trace. Undefined for a span that is none, as where no SDK is there. */
export function carrierOf(span: Span): TraceCarrier | undefined {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  if (!isSpanContextValid(span.spanContext())) return undefined;
  const flags = (traceFlags & 0xff).toString(16).padStart(2, "0");
  const traceparent = `00-${traceId}-${spanId}-${flags}`;
  const tracestate = traceState?.serialize();
  return tracestate ? { traceparent, tracestate } : { traceparent };
}

/** The span of another process. Undefined where the carrier holds none. */
export function spanContextIn({ traceparent, tracestate }: TraceCarrier): SpanContext | undefined {
  const [version, traceId = "", spanId = "", flags = ""] = traceparent.split("-");
  const found: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  };
  return version !== "ff" && isSpanContextValid(found) ? found : undefined;
}

/** A context in which the span of another process is the active one. */
export function contextOf(found: SpanContext): Context {
  return trace.setSpanContext(ROOT_CONTEXT, found);
}
