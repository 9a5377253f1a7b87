import type { ToolDefinition } from "@toolrig/core";
import { vendorName, vendorNames } from "@toolrig/core/kit";
import type { Engine, EngineEvent } from "../model/engine.ts";

type OwnName = (name: string) => string;

/**
 * An engine whose calls name tools as they are called here, whatever its provider was told. Only names that providers take
 * go to and fro; in transcripts and for everybody else they are the tools' own.
 */
export function withOwnNames(engine: Engine): Engine {
  const known = new WeakMap<readonly ToolDefinition[], OwnName | undefined>();
  const ownName = (tools: readonly ToolDefinition[]): OwnName | undefined => {
    if (!known.has(tools)) {
      const replaced = tools.some(({ name }) => vendorName(name) !== name);
      known.set(tools, replaced ? vendorNames(tools).from : undefined);
    }
    return known.get(tools);
  };
  return {
    ...engine,
    stream(request) {
      const from = ownName(request.tools);
      const events = engine.stream(request);
      return from === undefined ? events : renamed(events, from);
    },
  };
}

async function* renamed(
  events: AsyncIterable<EngineEvent> | Iterable<EngineEvent>,
  from: OwnName,
): AsyncGenerator<EngineEvent> {
  for await (const event of events) yield "name" in event ? { ...event, name: from(event.name) } : event;
}
