import type { ToolDefinition, ToolResult } from "@toolrig/core";
import { carriedFields } from "@toolrig/core/kit";
import { sourceOf } from "../beneath/live-loop.ts";
import { MASTRA, mastraFields } from "./fields.ts";
import { contentOfShaped } from "./from-mastra.ts";
import type { MastraTool } from "./shape.ts";

/** A tool of Mastra that a rig's tool was made from, and what Mastra is given of it as it was. */
export interface OwnTool {
  source: MastraTool;
  carried: Partial<MastraTool>;
  /** How Mastra makes JSON Schema of its input. Undefined where the rig has another. */
  jsonSchema: object | undefined;
}

/** Undefined for any other tool. */
export function ownTool(definition: ToolDefinition): OwnTool | undefined {
  const own = sourceOf<MastraTool>(MASTRA, definition);
  if (own === undefined || !own.isOwn("execute")) return undefined;
  const { source, isOwn, description } = own;
  const carried: Partial<MastraTool> = carriedFields(mastraFields, source);
  if (!isOwn("description") || definition.description !== description) delete carried.description;
  if (!isOwn("label")) delete carried.title;
  if (!isOwn("approval")) {
    delete carried.requireApproval;
    delete carried.needsApprovalFn;
  }
  return { source, carried, jsonSchema: isOwn("input") ? jsonSchemaOf(source.inputSchema) : undefined };
}

function jsonSchemaOf(schema: unknown): object | undefined {
  const { "~standard": standard } = (schema ?? {}) as { "~standard"?: { jsonSchema?: object } };
  return standard?.jsonSchema;
}

/** Whether a result says what the tool's own value does: the value is what Mastra is given then. */
export async function saysItsValue(result: ToolResult, { source }: OwnTool): Promise<boolean> {
  const { isError, artifact, advice, value, content, terminate, stop } = result;
  if (isError || artifact !== undefined || advice !== undefined || terminate || stop !== undefined)
    return false;
  if (source.toModelOutput === undefined) return false;
  return JSON.stringify(contentOfShaped(await source.toModelOutput(value))) === JSON.stringify(content);
}
