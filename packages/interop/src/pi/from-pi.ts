import { type AnyTool, type ContentPart, type ProgressUpdate, result, textOf } from "@toolrig/core";
import { check, defined, defineTool } from "@toolrig/core/kit";
import type { PiTool, PiToolResult } from "./shape.ts";

/**
 * An `AgentTool` of pi as a tool of a rig. What it does not say about safety counts as undeclared: say it in `more`, which adds
 * to the definition or replaces parts of it.
 */
export function fromPi(source: PiTool, more: Partial<Parameters<typeof defineTool>[0]> = {}): AnyTool {
  check.object("source", source, "an AgentTool of pi");
  check.function("source.execute", source.execute);
  const { name, label, description, parameters, prepareArguments, executionMode } = source;
  return defineTool(
    {
      name,
      description,
      input: parameters,
      type: "pi",
      label,
      ...defined({ prepare: prepareArguments, mode: executionMode }),
      async execute(args, { callId, signal, update }) {
        const onUpdate = (partial: PiToolResult) => update(progressOf(partial));
        return outcomeOf(await source.execute(callId, args, signal, onUpdate));
      },
      ...more,
    },
    { trusted: true },
  );
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
