import type { ToolContext, ToolDefinition, ToolResult } from "@toolrig/core";
import { type CallingLoop, originOf, type ToolOrigin } from "@toolrig/core/kit";

/** What a peer's loop gives to its tools, on the way through the pipeline to a tool that was adapted from that peer. */
export class LiveLoop implements CallingLoop {
  readonly name: string;
  context: unknown;
  outputs = new Map<string, unknown>();

  constructor(name: string, context: unknown) {
    this.name = name;
    this.context = context;
  }

  /** A call that was begun, to ask whether it may run, goes on with what the peer gives it when it runs. */
  become(later: LiveLoop): void {
    this.context = later.context;
    this.outputs = later.outputs;
  }

  /** What the tool left for the adapter, if it ran here and now. */
  outputOf({ executionId }: ToolResult): unknown {
    return this.outputs.get(executionId);
  }
}

/** What the peer of this name gave to the call. Undefined for a call that another loop makes, or none. */
export function givenBy<Context>(
  name: string,
  { loop }: Pick<ToolContext, "loop">,
): { context: Context; outputs: Map<string, unknown> } | undefined {
  return loop?.name === name ? { context: loop.context as Context, outputs: loop.outputs } : undefined;
}

/** The tool of a peer that a definition was adapted from. Undefined for one of another peer, or of nobody else's. */
export function sourceOf<Source extends object>(
  name: string,
  definition: ToolDefinition,
): { source: Source; isOwn(part: Part): boolean; description: string } | undefined {
  const origin = originOf(definition);
  if (origin?.name !== name) return undefined;
  return {
    source: origin.source as Source,
    /** Whether the source still decides a part of the definition. */
    isOwn: (part) => !origin.replaced.has(part),
    description: origin.description,
  };
}

type Part = ToolOrigin["replaced"] extends ReadonlySet<infer Key> ? Key : never;
