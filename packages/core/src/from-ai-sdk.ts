import { type ContentPart, render } from "./content.ts";
import type { ToolContext } from "./context.ts";
import { defineTool } from "./define-tool.ts";
import { ToolrigError } from "./failure.ts";
import { type MarkedOutcome, result } from "./result.ts";
import type { AnyTool, Example, ToolSpec } from "./tool.ts";

/** An AI SDK `tool()` object, by the parts that are read here. Its name is the key it has in the tool set. */
export interface AiSdkTool {
  description?: unknown;
  inputSchema: unknown;
  outputSchema?: unknown;
  title?: string;
  needsApproval?: unknown;
  inputExamples?: readonly { input: unknown }[];
  // The AI SDK types these as functions of its own option types, which differ between its versions.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  execute?: (input: any, options: any) => unknown;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  toModelOutput?: (options: any) => unknown;
}

export function isAiSdkTool(value: unknown): value is AiSdkTool {
  return typeof value === "object" && value !== null && "inputSchema" in value && !("name" in value);
}

/** An AI SDK tool as a tool of this package. What it does not say about safety counts as undeclared. */
export function fromAiSdk(name: string, source: AiSdkTool): AnyTool {
  const { execute, description } = source;
  if (typeof execute !== "function") {
    throw new ToolrigError(
      "TOOL_INVALID_DEFINITION",
      `Tool "${name}": this AI SDK tool has no execute function, so there is nothing to run. ` +
        "Tools that a provider executes cannot be registered.",
    );
  }
  const spec: ToolSpec<unknown, unknown> = {
    name,
    type: "ai-sdk",
    description:
      typeof description === "string" && description.trim() !== "" ? description : name.replaceAll("_", " "),
    input: source.inputSchema,
    execute: async (args, context) => {
      const output = await lastOf(execute.call(source, args, optionsFor(context)), context);
      return source.toModelOutput === undefined ? output : shapedBy(source, args, output, context);
    },
  };
  if (source.outputSchema !== undefined) spec.output = source.outputSchema;
  if (source.title !== undefined) spec.label = source.title;
  if (source.inputExamples !== undefined) spec.examples = source.inputExamples.map(asExample);
  const approval = approvalOf(source);
  if (approval !== undefined) spec.approval = approval;
  return defineTool(spec, { trusted: true });
}

function optionsFor(context: ToolContext) {
  return {
    toolCallId: context.callId,
    messages: [],
    get abortSignal() {
      return context.signal;
    },
  };
}

/** An AI SDK tool may stream: every value is preliminary, the last one is the result. */
async function lastOf(answer: unknown, context: ToolContext): Promise<unknown> {
  if (typeof answer !== "object" || answer === null || !(Symbol.asyncIterator in answer)) return answer;
  let last: unknown;
  for await (const value of answer as AsyncIterable<unknown>) {
    last = value;
    context.update({ details: value });
  }
  return last;
}

async function shapedBy(
  source: AiSdkTool,
  input: unknown,
  output: unknown,
  context: ToolContext,
): Promise<MarkedOutcome> {
  const shaped = (await source.toModelOutput!({ toolCallId: context.callId, input, output })) as {
    type?: string;
    value?: unknown;
  };
  const isError = shaped.type === "error-text" || shaped.type === "error-json";
  return result({ value: output, isError, content: contentOf(shaped) });
}

function contentOf({ type, value }: { type?: string; value?: unknown }): ContentPart[] {
  if (type !== "content" || !Array.isArray(value)) return render(value);
  return value.map((part: Record<string, unknown>): ContentPart => {
    if (part.type === "text") return { type: "text", text: String(part.text) };
    const { data, mediaType } = part;
    if (typeof data === "string" && typeof mediaType === "string" && mediaType.startsWith("image/")) {
      return { type: "image", data, mimeType: mediaType };
    }
    return { type: "text", text: JSON.stringify(part) };
  });
}

function asExample({ input }: { input: unknown }): Example {
  return { arguments: input };
}

function approvalOf({ needsApproval }: AiSdkTool): ToolSpec<unknown, unknown>["approval"] {
  if (typeof needsApproval === "boolean") return needsApproval;
  if (typeof needsApproval !== "function") return undefined;
  return async (args) => (await needsApproval(args, { toolCallId: "", messages: [] })) === true;
}
