import { type MarkedOutcome, result } from "../call/result.ts";
import { ToolrigError } from "../failure/failure.ts";
import { check } from "../options/check.ts";
import { AI_SDK, aiSdkFields } from "./ai-sdk-fields.ts";
import { type AiSdkOutput, contentOfOutput, isErrorOutput } from "./ai-sdk-output.ts";
import type { ToolContext } from "./context.ts";
import { defineTool } from "./define-tool.ts";
import { refuseFields } from "./peer-fields.ts";
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
  // biome-ignore lint/suspicious/noExplicitAny: see above
  onInputStart?: (options: any) => unknown;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  onInputAvailable?: (options: any) => unknown;
}

export function isAiSdkTool(value: unknown): value is AiSdkTool {
  return typeof value === "object" && value !== null && "inputSchema" in value && !("name" in value);
}

/**
 * An AI SDK tool as a tool of this package. Its description, `execute` and `needsApproval` are given what `toolsContext` holds for it,
 * and `context` wherever the call does not come from the AI SDK. What it does not say about safety counts as undeclared: say it in
 * the other options, which add to the definition or replace parts of it.
 *
 * `aiSdkFields` decides what becomes of each of its fields. Throws `OPTION_INVALID` for a field that would be lost.
 */
export function fromAiSdk(
  name: string,
  source: AiSdkTool,
  { context: given, ...more }: Partial<ToolSpec<unknown, unknown>> & { context?: unknown } = {},
): AnyTool {
  check.string("name", name);
  check.object("source", source, "a tool of the AI SDK");
  const { execute } = source;
  if (typeof execute !== "function") {
    throw new ToolrigError(
      "TOOL_INVALID_DEFINITION",
      `Tool "${name}": this AI SDK tool has no execute function, so there is nothing to run. ` +
        "Tools that a provider executes cannot be registered.",
    );
  }
  refuseFields("the AI SDK", aiSdkFields, source);
  const spec: ToolSpec<unknown, unknown> = {
    name,
    type: "ai-sdk",
    description: descriptionOf(name, source, given),
    input: source.inputSchema,
    execute(args, context) {
      const options = optionsFor(context, given);
      const run = () => {
        const answer = execute.call(source, args, options);
        return isAsyncIterable(answer)
          ? streamed(source, args, answer, context)
          : concluded(source, args, answer, context);
      };
      return tellsInput(source, context) ? toldInput(source, args, options, run) : run();
    },
  };
  if (source.outputSchema !== undefined) spec.output = source.outputSchema;
  if (source.title !== undefined) spec.label = source.title;
  if (source.inputExamples !== undefined) spec.examples = source.inputExamples.map(asExample);
  const approval = approvalOf(source, given);
  if (approval !== undefined) spec.approval = approval;
  const replaced = new Set(Object.keys(more) as (keyof typeof more)[]);
  return defineTool({ ...spec, ...more }, { trusted: true, origin: { name: AI_SDK, source, replaced } });
}

/** A description may be made from the context. One that cannot be made is none. */
function descriptionOf(name: string, { description }: AiSdkTool, context: unknown): string {
  const plain = name.replaceAll("_", " ");
  try {
    const told: unknown = typeof description === "function" ? description({ context }) : description;
    return typeof told === "string" && told.trim() !== "" ? told : plain;
  } catch {
    return plain;
  }
}

/** As the AI SDK gives them, where it makes the call. A tool that another tool calls has no context of its own there. */
function optionsFor(context: ToolContext, given: unknown): object {
  const live = context.loop?.name === AI_SDK ? (context.loop.context as SdkOptions) : undefined;
  const isOwn = live?.toolCallId === context.callId;
  return {
    messages: [],
    ...live,
    toolCallId: context.callId,
    context: isOwn ? (live.context ?? given) : given,
    get abortSignal() {
      return context.signal;
    },
  };
}

/** The options of the AI SDK's `execute`, by what is read of them. */
interface SdkOptions {
  toolCallId: string;
  context?: unknown;
}

/** Where no loop of the AI SDK does it, a tool is told of its input right before it runs, as for a response in one piece. */
function tellsInput({ onInputStart, onInputAvailable }: AiSdkTool, { loop }: ToolContext): boolean {
  return loop?.name !== AI_SDK && (onInputStart !== undefined || onInputAvailable !== undefined);
}

async function* toldInput(
  { onInputStart, onInputAvailable }: AiSdkTool,
  input: unknown,
  options: object,
  run: () => AsyncGenerator<unknown, unknown, unknown> | Promise<unknown>,
): AsyncGenerator<unknown, unknown, unknown> {
  await onInputStart?.(options);
  await onInputAvailable?.({ ...options, input });
  const answer = run();
  return Symbol.asyncIterator in answer ? yield* answer : await answer;
}

function isAsyncIterable(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer;
}

/** An AI SDK tool may stream: every value is preliminary, the last one is the result. */
async function* streamed(
  source: AiSdkTool,
  input: unknown,
  values: AsyncIterable<unknown>,
  context: ToolContext,
): AsyncGenerator<unknown, unknown, unknown> {
  let last: unknown;
  for await (const value of values) {
    last = value;
    yield value;
  }
  return concluded(source, input, last, context);
}

async function concluded(source: AiSdkTool, input: unknown, answer: unknown, context: ToolContext) {
  const output = await answer;
  return source.toModelOutput === undefined ? output : shapedBy(source, input, output, context);
}

async function shapedBy(
  source: AiSdkTool,
  input: unknown,
  output: unknown,
  context: ToolContext,
): Promise<MarkedOutcome> {
  const shaped = (await source.toModelOutput!({ toolCallId: context.callId, input, output })) as AiSdkOutput;
  return result({ value: output, isError: isErrorOutput(shaped), content: contentOfOutput(shaped) });
}

function asExample({ input }: { input: unknown }): Example {
  return { arguments: input };
}

function approvalOf({ needsApproval }: AiSdkTool, given: unknown): ToolSpec<unknown, unknown>["approval"] {
  if (typeof needsApproval === "boolean") return needsApproval;
  if (typeof needsApproval !== "function") return undefined;
  return async (args, { callId: toolCallId, loop }) => {
    const live = loop?.name === AI_SDK ? (loop.context as SdkOptions) : undefined;
    const context = live?.toolCallId === toolCallId ? (live.context ?? given) : given;
    return Boolean(await needsApproval(args, { messages: [], ...live, toolCallId, context }));
  };
}
