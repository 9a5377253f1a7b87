import type { AnyTool, ToolSource } from "@toolrig/core";
import { defined, parseDuration, wrapSource } from "@toolrig/core/kit";
import type { ToolLimits } from "./config.ts";

/** The tools of a source with a worker's limits over their own. */
export function withLimits(source: ToolSource, limits: Readonly<Record<string, ToolLimits>>): ToolSource {
  if (Object.keys(limits).length === 0) return source;
  return wrapSource(source, {
    change(tool) {
      const given = Object.hasOwn(limits, tool.name) ? limits[tool.name] : undefined;
      return given === undefined ? tool : limit(tool, given);
    },
  });
}

function limit(tool: AnyTool, { timeout, concurrency, rate, retry }: ToolLimits): AnyTool {
  const path = `tools.${tool.name}`;
  return Object.freeze({
    ...tool,
    ...(timeout !== undefined && { timeoutMs: parseDuration(timeout, `${path}.timeout`) }),
    ...defined({ concurrency }),
    ...(rate !== undefined && {
      rate: {
        limit: rate.limit,
        perMs: parseDuration(rate.per, `${path}.rate.per`),
        waitMs:
          rate.wait === undefined ? (tool.rate?.waitMs ?? 0) : parseDuration(rate.wait, `${path}.rate.wait`),
      },
    }),
    ...(retry !== undefined && {
      retry: {
        attempts: retry.attempts ?? tool.retry.attempts,
        backoffMs:
          retry.backoff === undefined
            ? tool.retry.backoffMs
            : parseDuration(retry.backoff, `${path}.retry.backoff`),
        maxBackoffMs:
          retry.maxBackoff === undefined
            ? tool.retry.maxBackoffMs
            : parseDuration(retry.maxBackoff, `${path}.retry.maxBackoff`),
        timeouts: retry.timeouts ?? tool.retry.timeouts,
      },
    }),
  });
}
