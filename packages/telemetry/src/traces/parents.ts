import {
  type Context,
  context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import type { TraceCarrier } from "@toolrig/core";
import { contextOf, spanContextIn } from "./carrier.ts";

/** Where a new span belongs. */
export interface Place {
  readonly parent: Context;
  readonly links: Link[];
}

/**
 * The place of a span. What another process says comes first: whatever is active here only carries the request, and is linked to.
 * Otherwise the span that caused it, or one within that which its code has made active; at last whatever is active.
 */
export function placeOf(cause: Span | undefined, from?: TraceCarrier): Place {
  const active = context.active();
  const ambient = underWay(trace.getSpan(active));
  const remote = from === undefined ? undefined : spanContextIn(from);
  if (remote !== undefined) {
    const isOther = ambient !== undefined && ambient.traceId !== remote.traceId;
    return { parent: contextOf(remote), links: isOther ? [{ context: ambient }] : [] };
  }
  if (cause === undefined) return { parent: ambient === undefined ? ROOT_CONTEXT : active, links: [] };
  const isWithin = ambient?.traceId === cause.spanContext().traceId;
  return { parent: isWithin ? active : trace.setSpan(ROOT_CONTEXT, cause), links: [] };
}

/** What a timer does runs where that was set: a span of this process that has ended since then is the cause of nothing. */
function underWay(span: Span | undefined): SpanContext | undefined {
  const found = span?.spanContext();
  const isSampled = ((found?.traceFlags ?? 0) & TraceFlags.SAMPLED) !== 0;
  const hasEnded = isSampled && found?.isRemote !== true && span?.isRecording() === false;
  return hasEnded ? undefined : found;
}

/** Runs code with a span as the active one. */
export function withSpan<Answer>(span: Span, code: () => Answer): Answer {
  return context.with(trace.setSpan(context.active(), span), code);
}
