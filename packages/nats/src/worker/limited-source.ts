import { type AnyTool, parseDuration, type ToolSource } from "@toolrig/core";
import type { ToolLimits } from "./config.ts";

/** The tools of a source with a worker's limits over their own. */
export function withLimits(source: ToolSource, limits: Readonly<Record<string, ToolLimits>>): ToolSource {
  if (Object.keys(limits).length === 0) return source;
  const limited = new WeakMap<AnyTool, AnyTool>();
  const original = new WeakMap<AnyTool, AnyTool>();
  const apply = (tool: AnyTool): AnyTool => {
    const given = Object.hasOwn(limits, tool.name) ? limits[tool.name] : undefined;
    if (given === undefined) return tool;
    let made = limited.get(tool);
    if (made === undefined) {
      made = limit(tool, given);
      limited.set(tool, made);
      original.set(made, tool);
    }
    return made;
  };
  return {
    get version() {
      return source.version;
    },
    tools: () => source.tools().map(apply),
    get(name, range) {
      const tool = source.get(name, range);
      return tool === undefined ? undefined : apply(tool);
    },
    providerOf: (tool) => source.providerOf?.(original.get(tool) ?? tool),
  };
}

function limit(tool: AnyTool, { timeout, concurrency, rate, retry }: ToolLimits): AnyTool {
  const path = `tools.${tool.name}`;
  return Object.freeze({
    ...tool,
    ...(timeout !== undefined && { timeoutMs: parseDuration(timeout, `${path}.timeout`) }),
    ...(concurrency !== undefined && { concurrency }),
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
        maxBackoffMs: tool.retry.maxBackoffMs,
        timeouts: tool.retry.timeouts,
      },
    }),
  });
}
