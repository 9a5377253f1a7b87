import type { ToolDefinition } from "@toolrig/core";
import { AI_SDK, aiSdkFields, carriedFields, isGenerator } from "@toolrig/core/kit";
import { asSchema, jsonSchema, type Tool, type ToolSet } from "ai";
import { sourceOf } from "../beneath/live-loop.ts";

type SdkTool = ToolSet[string];

/** A tool of the AI SDK that a rig's tool was made from, as far as it still decides what the AI SDK is told. */
export interface OwnTool {
  source: SdkTool;
  /** What the AI SDK is given of it as it was. */
  carried: Partial<Tool>;
  /** The JSON Schema that the AI SDK makes of it. Undefined where the rig has another input. */
  inputSchema: SdkTool["inputSchema"] | undefined;
  toModelOutput: SdkTool["toModelOutput"] | undefined;
  /** Yields values. */
  streams: boolean;
}

/** Undefined for any other tool. */
export function ownTool(definition: ToolDefinition): OwnTool | undefined {
  const own = sourceOf<SdkTool>(AI_SDK, definition);
  if (own === undefined) return undefined;
  const { source, isOwn, description } = own;
  const carried = carriedFields(aiSdkFields, source) as Partial<Tool>;
  // The model is told what was said last.
  if (!isOwn("description") || definition.description !== description) delete carried.description;
  if (!isOwn("examples")) delete carried.inputExamples;
  if (!isOwn("label")) delete carried.title;
  const isShaped = isOwn("execute");
  if (!isShaped) delete carried.toModelOutput;
  if (isOwn("output") && source.outputSchema !== undefined)
    Object.assign(carried, { outputSchema: source.outputSchema });
  return {
    source,
    carried,
    inputSchema: isOwn("input") ? source.inputSchema : undefined,
    toModelOutput: isShaped ? source.toModelOutput : undefined,
    streams: isShaped && isGenerator(source.execute),
  };
}

/** What the model is told of the input. Whatever is wrong with arguments is the pipeline's to say. */
export function toldSchema(own: OwnTool | undefined, given: unknown) {
  const validate = (value: unknown) => ({ success: true as const, value });
  if (own?.inputSchema === undefined) return jsonSchema(given as never, { validate });
  const schema = asSchema(own.inputSchema);
  return jsonSchema(() => schema.jsonSchema, { validate });
}
