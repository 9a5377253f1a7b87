import { type AnyTool, type ContentPart, failure, result, type ToolContext, textOf } from "@toolrig/core";
import { check, defineTool } from "@toolrig/core/kit";
import { givenBy } from "../beneath/live-loop.ts";
import { putOff } from "../beneath/put-off.ts";
import { answerOf, type OwnAnswer } from "./answer.ts";
import { messageIn } from "./command.ts";
import { LANGCHAIN } from "./fields.ts";
import { contentText } from "./reading.ts";
import type { LangChainConfig, LangChainTool } from "./shape.ts";

type Spec = Parameters<typeof defineTool>[0];

/** What LangChain gives to a tool: beneath it, what it gave to this very call. */
export interface LangChainGiven {
  config: LangChainConfig;
  /** Where the tool's own events go. */
  runManager: { handleToolEvent?(chunk: unknown): unknown } | undefined;
}

/**
 * A tool of LangChain as a tool of a rig. What it does not say about safety counts as undeclared: say it in `more`, which adds to
 * the definition or replaces parts of it. `langChainFields` decides what becomes of each of its fields.
 */
export function fromLangChain(source: LangChainTool, more: Partial<Spec> = {}): AnyTool {
  check.object("source", source, "a tool of LangChain");
  check.function("source.invoke", source.invoke);
  const { name, description, schema } = source;
  const replaced = new Set(Object.keys(more) as (keyof Spec)[]);
  return defineTool(
    {
      name,
      description,
      input: schema,
      type: LANGCHAIN,
      execute(args, call) {
        const live = givenBy<LangChainGiven>(LANGCHAIN, call);
        return live === undefined ? invoked(source, args, call) : runBeneath(source, args, call, live);
      },
      ...more,
    },
    { trusted: true, origin: { name: LANGCHAIN, source, replaced } },
  );
}

async function invoked(source: LangChainTool, args: unknown, { callId, signal, update }: ToolContext) {
  const { name, returnDirect } = source;
  const call = { type: "tool_call", id: callId, name, args };
  const told = (chunk: unknown) => update({ details: chunk });
  const config = { signal, writer: told, callbacks: [{ name: "toolrig", handleToolEvent: told }] };
  return outcomeOf(await source.invoke(call, config), returnDirect === true);
}

/** Runs the tool's own code in the graph that makes the call: LangChain has told of the call already, and tells of its end. */
async function runBeneath(
  source: LangChainTool,
  args: unknown,
  call: ToolContext,
  { context: { config, runManager }, outputs }: NonNullable<ReturnType<typeof givenBy<LangChainGiven>>>,
): Promise<unknown> {
  const { callId, executionId, signal, update } = call;
  const told = (chunk: unknown) => update({ details: chunk });
  const given: LangChainConfig = { ...config, signal, ...writing(config, told) };
  // A call that another tool makes is none of the model's.
  if (config.toolCall?.id !== callId)
    Object.assign(given, {
      toolCall: { type: "tool_call", id: callId, name: source.name, args },
      toolCallId: callId,
    });
  try {
    const answer = await answerOf(source, args, given, runManager, told);
    outputs.set(executionId, { answer } satisfies OwnAnswer);
    return outcomeOf(answer.message, source.returnDirect === true);
  } catch (error) {
    if (!isBubbling(error)) throw error;
    // An interrupt of the tool's own is the graph's to handle.
    outputs.set(executionId, { thrown: error } satisfies OwnAnswer);
    return putOff(source.name);
  }
}

function writing(
  { writer }: LangChainConfig,
  told: (chunk: unknown) => void,
): Pick<LangChainConfig, "writer"> {
  if (typeof writer !== "function") return {};
  return {
    writer: (chunk) => {
      writer(chunk);
      told(chunk);
    },
  };
}

/** What LangGraph throws through everything: interrupts, and commands to a graph above. */
function isBubbling(error: unknown): boolean {
  return (error as { is_bubble_up?: unknown } | null)?.is_bubble_up === true;
}

function outcomeOf(output: unknown, terminate: boolean): unknown {
  const { content, artifact, status, tool_call_id, lg_name } = (output ?? {}) as Record<string, unknown>;
  if (lg_name === "Command") return commandOutcome(output as object, terminate);
  if (tool_call_id === undefined) return terminate ? result({ value: output, terminate }) : output;
  const parts = Array.isArray(content) ? content.map(partOf) : String(content);
  if (status === "error") return failure(typeof parts === "string" ? parts : textOf(parts));
  return result({ content: parts, value: artifact ?? content, ...(terminate && { terminate }) });
}

/** A command to the graph: the model is told what its message about the call says, and the value is the command. */
function commandOutcome(command: object, terminate: boolean): unknown {
  const value: unknown = JSON.parse(JSON.stringify(command));
  const message = messageIn(command);
  const content = message === undefined ? JSON.stringify(value) : contentText(message.content);
  return result({ content, value, ...(terminate && { terminate }) });
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
