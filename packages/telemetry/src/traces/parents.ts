import { type Context, context, type Link, ROOT_CONTEXT, type Span, trace } from "@opentelemetry/api";
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
  const ambient = trace.getSpanContext(active);
  const remote = from === undefined ? undefined : spanContextIn(from);
  if (remote !== undefined) {
    const isOther = ambient !== undefined && ambient.traceId !== remote.traceId;
    return { parent: contextOf(remote), links: isOther ? [{ context: ambient }] : [] };
  }
  if (cause === undefined || ambient?.traceId === cause.spanContext().traceId)
    return { parent: active, links: [] };
  return { parent: trace.setSpan(ROOT_CONTEXT, cause), links: [] };
}

/** Runs code with a span as the active one. */
export function withSpan<Answer>(span: Span, code: () => Answer): Answer {
  return context.with(trace.setSpan(context.active(), span), code);
}
