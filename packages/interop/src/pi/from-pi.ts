import {
  type AnyTool,
  type ContentPart,
  type ProgressUpdate,
  result,
  type ToolContext,
  textOf,
} from "@toolrig/core";
import { check, defined, defineTool, refuseFields } from "@toolrig/core/kit";
import { givenBy } from "../beneath/live-loop.ts";
import { PI, piFields } from "./fields.ts";
import type { PiTool, PiToolResult } from "./shape.ts";

type Spec = Parameters<typeof defineTool>[0];

/** What pi gives to a tool beneath it. */
export interface PiGiven {
  toolCallId: string;
  onUpdate: ((partial: PiToolResult) => void) | undefined;
}

/**
 * An `AgentTool` of pi as a tool of a rig. What it does not say about safety counts as undeclared, and `replay: "safe"` as idempotent:
 * say it in `more`, which adds to the definition or replaces parts of it. `piFields` decides what becomes of each of its fields. Throws
 * `OPTION_INVALID` for a field that would be lost.
 */
export function fromPi(source: PiTool, more: Partial<Spec> = {}): AnyTool {
  check.object("source", source, "an AgentTool of pi");
  check.function("source.execute", source.execute);
  refuseFields("pi", piFields, source);
  const { name, label, description, parameters, prepareArguments, executionMode, replay } = source;
  const replaced = new Set(Object.keys(more) as (keyof Spec)[]);
  return defineTool(
    {
      name,
      description,
      input: parameters,
      type: PI,
      label,
      ...defined({ prepare: prepareArguments, mode: executionMode }),
      ...(replay === "safe" && { safety: { sideEffects: "external", idempotent: true } }),
      execute: (args, call) => run(source, args, call),
      ...more,
    },
    { trusted: true, origin: { name: PI, source, replaced } },
  );
}

async function run(source: PiTool, args: unknown, call: ToolContext) {
  const { callId, executionId, signal, update } = call;
  const live = givenBy<PiGiven>(PI, call);
  const own = live?.context.toolCallId === callId ? live : undefined;
  const onUpdate = (partial: PiToolResult) => {
    own?.context.onUpdate?.(partial);
    update(progressOf(partial));
  };
  const answer = await source.execute(callId, args, signal, onUpdate);
  own?.outputs.set(executionId, answer);
  return outcomeOf(answer);
}

function outcomeOf({ content, details, terminate }: PiToolResult) {
  return result({
    content: contentOf(content),
    ...defined({ details }),
    ...(terminate === true && { terminate }),
  });
}

/** Tools in plain JavaScript may leave it out. */
function contentOf(content: PiToolResult["content"] | undefined): ContentPart[] {
  return [...(content ?? [])];
}

function progressOf({ content, details }: PiToolResult): ProgressUpdate {
  const text = textOf(contentOf(content));
  return { ...(text !== "" && { content: text }), ...defined({ details }) };
}
