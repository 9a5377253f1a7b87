import { type AnyTool, type ContentPart, failure, result, textOf } from "@toolrig/core";
import { check, defineTool } from "@toolrig/core/kit";
import type { LangChainTool } from "./shape.ts";

/**
 * A tool of LangChain as a tool of a rig. What it does not say about safety counts as undeclared: say it in `more`, which adds to
 * the definition or replaces parts of it.
 */
export function fromLangChain(
  source: LangChainTool,
  more: Partial<Parameters<typeof defineTool>[0]> = {},
): AnyTool {
  check.object("source", source, "a tool of LangChain");
  check.function("source.invoke", source.invoke);
  const { name, description, schema, returnDirect } = source;
  return defineTool(
    {
      name,
      description,
      input: schema,
      type: "langchain",
      async execute(args, { callId, signal, update }) {
        const call = { type: "tool_call", id: callId, name, args };
        const told = (chunk: unknown) => update({ details: chunk });
        const config = { signal, writer: told, callbacks: [{ name: "toolrig", handleToolEvent: told }] };
        return outcomeOf(await source.invoke(call, config), returnDirect === true);
      },
      ...more,
    },
    { trusted: true },
  );
}

function outcomeOf(output: unknown, terminate: boolean): unknown {
  const { content, artifact, status, tool_call_id } = (output ?? {}) as Record<string, unknown>;
  if (tool_call_id === undefined) return terminate ? result({ value: output, terminate }) : output;
  const parts = Array.isArray(content) ? content.map(partOf) : String(content);
  if (status === "error") return failure(typeof parts === "string" ? parts : textOf(parts));
  return result({ content: parts, value: artifact ?? content, ...(terminate && { terminate }) });
}

/** Blocks of text and pictures in LangChain's forms, old and new. Others are written out. */
function partOf(block: unknown): ContentPart {
  const { type, text, image_url, data, mimeType, url } = (block ?? {}) as Record<string, unknown>;
  if (type === "text" && typeof text === "string") return { type: "text", text };
  if (type === "image" && typeof data === "string" && typeof mimeType === "string")
    return { type: "image", data, mimeType };
  const address = type === "image_url" ? ((image_url as { url?: unknown })?.url ?? image_url) : url;
  const inline = typeof address === "string" ? /^data:([^;,]+);base64,(.*)$/s.exec(address) : null;
  if (inline?.[1] !== undefined && inline[2] !== undefined)
    return { type: "image", data: inline[2], mimeType: inline[1] };
  if (typeof address === "string") return { type: "resource", uri: address };
  return { type: "text", text: typeof block === "string" ? block : JSON.stringify(block) };
}
