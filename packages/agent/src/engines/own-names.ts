import type { ToolDefinition } from "@toolrig/core";
import { vendorName } from "@toolrig/core/kit";
import type { Engine, EngineEvent } from "../model/engine.ts";

type OwnName = (name: string) => string;

/**
 * An engine whose calls name tools as they are called here, whatever its provider was told. Only names that providers take
 * go to and fro; in transcripts and for everybody else they are the tools' own. What was told once stays true: a model may call
 * what is gone since, and never means another tool that has such a name for its own.
 */
export function withOwnNames(engine: Engine): Engine {
  const seen = new WeakSet<readonly ToolDefinition[]>();
  const told = new Map<string, string>();
  const hear = (tools: readonly ToolDefinition[]) => {
    if (seen.has(tools)) return;
    seen.add(tools);
    for (const { name } of tools) if (vendorName(name) !== name) told.set(vendorName(name), name);
  };
  return {
    ...engine,
    stream(request) {
      hear(request.tools);
      const events = engine.stream(request);
      return told.size === 0 ? events : renamed(events, (name) => told.get(name) ?? name);
    },
  };
}

async function* renamed(
  events: AsyncIterable<EngineEvent> | Iterable<EngineEvent>,
  from: OwnName,
): AsyncGenerator<EngineEvent> {
  for await (const event of events) yield "name" in event ? { ...event, name: from(event.name) } : event;
}
