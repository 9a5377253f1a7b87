import type { TraceCarrier } from "@toolrig/core";
import { traceIn } from "@toolrig/core/kit";
import type { Ask } from "./route.ts";

/** The trace that a request is part of, for whoever goes on with it. */
export function traceOf(ask: Pick<Ask, "header">): { trace?: TraceCarrier } {
  if (ask.header("traceparent") === undefined) return {};
  const trace = traceIn({ get: (name: string) => ask.header(name) });
  return trace === undefined ? {} : { trace };
}
