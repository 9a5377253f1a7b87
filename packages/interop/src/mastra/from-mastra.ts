import {
  type AnyTool,
  type ContentPart,
  failure,
  result,
  type Safety,
  type ToolContext,
  validation,
} from "@toolrig/core";
import { check, defined, defineTool } from "@toolrig/core/kit";
import type { MastraContext, MastraTool } from "./shape.ts";

type Spec = Parameters<typeof defineTool>[0];

/**
 * A tool of Mastra's `createTool` as a tool of a rig. What it suspends for is asked of the person behind the run, and it is
 * started again with the answer as its `resumeData`, as Mastra does it. Safety is what its MCP annotations say, else undeclared;
 * `more` adds to the definition or replaces parts of it.
 */
export function fromMastra(source: MastraTool, more: Partial<Spec> = {}): AnyTool {
  check.object("source", source, "a tool of Mastra's createTool");
  check.string("source.id", source.id);
  check.function(
    "source.execute",
    source.execute,
    "a function: tools of a provider or a client cannot run here",
  );
  const { id, title, description, inputSchema, outputSchema } = source;
  const safety = safetyOf(source);
  const approval = approvalOf(source);
  return defineTool(
    {
      name: id,
      description,
      input: inputSchema ?? { type: "object" },
      type: "mastra",
      ...defined({ label: title, output: outputSchema, safety, approval }),
      execute: (args, context) => run(source, args, context),
      ...more,
    },
    { trusted: true },
  );
}

function safetyOf({ mcp }: MastraTool): Pick<Safety, "sideEffects" | "idempotent"> | undefined {
  const { readOnlyHint, idempotentHint } = mcp?.annotations ?? {};
  if (readOnlyHint === true) return { sideEffects: "read", idempotent: true };
  return idempotentHint === true ? { sideEffects: "external", idempotent: true } : undefined;
}

function approvalOf({ requireApproval }: MastraTool): Spec["approval"] {
  if (typeof requireApproval !== "function") return requireApproval;
  return async (args) => Boolean(await requireApproval(args));
}

async function run(source: MastraTool, args: unknown, context: ToolContext): Promise<unknown> {
  let resumeData: unknown;
  for (;;) {
    let suspended: { payload: unknown } | undefined;
    const given = contextFor(context, resumeData, (payload) => {
      suspended = { payload };
    });
    const output = await source.execute?.(args, given);
    if (suspended === undefined) return outcomeOf(source, output);
    const answer = await context.ask({
      message: questionOf(source, suspended.payload),
      ...defined({ schema: source.resumeSchema }),
    });
    if (answer.status !== "answered")
      return failure({ kind: "denied", message: `${source.id} needed an answer, and nobody gave one.` });
    resumeData = answer.value;
  }
}

function contextFor(
  { signal, callId, runId, update }: ToolContext,
  resumeData: unknown,
  suspend: (payload: unknown) => void,
): MastraContext & Record<string, unknown> {
  const written = (chunk: unknown) => update({ details: chunk });
  const writer = { write: written, custom: written };
  return {
    abortSignal: signal,
    ...defined({ runId }),
    writer,
    observe: { span: (_: string, run: () => unknown) => run(), log: () => {} },
    agent: {
      agentId: "toolrig",
      toolCallId: callId,
      messages: [],
      ...defined({ resumeData }),
      suspend: async (payload: unknown) => suspend(payload ?? {}),
    } as NonNullable<MastraContext["agent"]>,
  };
}

function questionOf({ id, title }: MastraTool, payload: unknown): string {
  if (typeof payload === "string") return payload;
  const { message, reason, question } = (payload ?? {}) as Record<string, unknown>;
  const told = [message, question, reason].find((each) => typeof each === "string");
  return typeof told === "string" ? told : `${title ?? id} asks: ${JSON.stringify(payload)}`;
}

async function outcomeOf({ toModelOutput, id }: MastraTool, output: unknown): Promise<unknown> {
  if (isValidationError(output)) return validation(output.message ?? `${id} refused its arguments.`);
  if (toModelOutput === undefined) return output;
  return result({ value: output, content: contentOf(await toModelOutput(output)) });
}

/** What Mastra's tools return in the place of a value when a schema of theirs does not match. */
function isValidationError(output: unknown): output is { error: true; message?: string } {
  return (
    typeof output === "object" &&
    output !== null &&
    "validationErrors" in output &&
    (output as { error?: unknown }).error === true
  );
}

function contentOf(shaped: unknown): ContentPart[] | string {
  const { type, value } = (shaped ?? {}) as { type?: unknown; value?: unknown };
  if (type === "text") return String(value);
  if (type !== "content" || !Array.isArray(value)) return JSON.stringify(value ?? shaped);
  return value.map((part: Record<string, unknown>): ContentPart => {
    if (part.type === "text") return { type: "text", text: String(part.text) };
    const isImage = typeof part.data === "string" && String(part.mediaType).startsWith("image/");
    return isImage
      ? { type: "image", data: String(part.data), mimeType: String(part.mediaType) }
      : { type: "text", text: JSON.stringify(part) };
  });
}
