import {
  type AnyTool,
  type ContentPart,
  failure,
  result,
  type Safety,
  type ToolContext,
  validation,
} from "@toolrig/core";
import { check, defined, defineTool, refuseFields } from "@toolrig/core/kit";
import { givenBy } from "../beneath/live-loop.ts";
import { putOff } from "../beneath/put-off.ts";
import { MASTRA, mastraFields } from "./fields.ts";
import type { MastraContext, MastraTool } from "./shape.ts";

type Spec = Parameters<typeof defineTool>[0];

/**
 * A tool of Mastra's `createTool` as a tool of a rig. What it suspends for is asked of the person behind the run, and it is
 * started again with the answer as its `resumeData`, as Mastra does it; beneath Mastra it suspends the run. Safety is what its MCP
 * annotations say, else undeclared; `more` adds to the definition or replaces parts of it. `mastraFields` decides what becomes of each
 * of its fields. Throws `OPTION_INVALID` for a field that would be lost.
 */
export function fromMastra(source: MastraTool, more: Partial<Spec> = {}): AnyTool {
  check.object("source", source, "a tool of Mastra's createTool");
  check.string("source.id", source.id);
  check.function(
    "source.execute",
    source.execute,
    "a function: tools of a provider or a client cannot run here",
  );
  refuseFields("Mastra", mastraFields, source);
  const { id, title, description, inputSchema, outputSchema } = source;
  const replaced = new Set(Object.keys(more) as (keyof Spec)[]);
  const safety = safetyOf(source);
  const approval = approvalOf(source);
  return defineTool(
    {
      name: id,
      description,
      input: inputSchema ?? { type: "object" },
      type: MASTRA,
      ...defined({ label: title, output: outputSchema, safety, approval }),
      execute: (args, context) => {
        const live = givenBy<MastraContext>(MASTRA, context);
        return live === undefined ? run(source, args, context) : runBeneath(source, args, context, live);
      },
      ...more,
    },
    { trusted: true, origin: { name: MASTRA, source, replaced } },
  );
}

function safetyOf({ mcp }: MastraTool): Pick<Safety, "sideEffects" | "idempotent"> | undefined {
  const { readOnlyHint, idempotentHint } = mcp?.annotations ?? {};
  if (readOnlyHint === true) return { sideEffects: "read", idempotent: true };
  return idempotentHint === true ? { sideEffects: "external", idempotent: true } : undefined;
}

function approvalOf({ requireApproval, needsApprovalFn: set }: MastraTool): Spec["approval"] {
  const decide = set ?? requireApproval;
  if (typeof decide !== "function" && decide !== true) return undefined;
  return async (args, call) => {
    const { requestContext, workspace, agent } = givenBy<MastraContext>(MASTRA, call)?.context ?? {};
    if (agent?.toolCallId === call.callId && ASKED in agent) return false;
    if (decide === true) return true;
    return Boolean(await decide(args, { requestContext: entriesOf(requestContext), workspace }));
  };
}

/** Marks what Mastra gives to a call that its agent has asked about before it made it, by the tool's own rule. */
export const ASKED = Symbol("asked");

/** As Mastra shows a request context to whoever decides. */
function entriesOf(requestContext: unknown): object {
  const { entries } = (requestContext ?? {}) as { entries?: () => Iterable<[string, unknown]> };
  return entries === undefined ? {} : Object.fromEntries(entries.call(requestContext));
}

/** Runs the tool in Mastra's own context. What it suspends for, Mastra asks. */
async function runBeneath(
  source: MastraTool,
  args: unknown,
  { callId, executionId, signal, update }: ToolContext,
  { context, outputs }: NonNullable<ReturnType<typeof givenBy<MastraContext>>>,
): Promise<unknown> {
  let isSuspended = false;
  const suspending = <Place extends { suspend?: unknown }>(place: Place): Place => {
    const { suspend } = place as { suspend?: (payload: unknown, options?: unknown) => Promise<unknown> };
    if (suspend === undefined) return place;
    return {
      ...place,
      suspend(payload: unknown, options?: unknown) {
        isSuspended = true;
        return suspend(payload, options);
      },
    };
  };
  const { agent, workflow, writer } = context;
  const given: MastraContext = suspending({ ...context, abortSignal: signal });
  if (agent !== undefined) given.agent = suspending({ ...agent, toolCallId: callId });
  if (workflow !== undefined) given.workflow = suspending(workflow);
  if (writer !== undefined) given.writer = telling(writer, (chunk) => update({ details: chunk }));
  const output = await source.execute?.(args, given);
  if (!isSuspended) return outcomeOf(source, output);
  outputs.set(executionId, SUSPENDED);
  return putOff(source.id);
}

/** Left for the adapter by a tool that has suspended its run. */
export const SUSPENDED = Symbol("suspended");

/** The stream that Mastra gives a tool; the rig's events have what is written, too. */
function telling(writer: NonNullable<MastraContext["writer"]>, told: (chunk: unknown) => void) {
  return new Proxy(writer, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      if (key !== "write" && key !== "custom") return value.bind(target);
      return (chunk: unknown) => {
        told(chunk);
        return value.call(target, chunk);
      };
    },
  });
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
  return result({ value: output, content: contentOfShaped(await toModelOutput(output)) });
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

/** What a tool's `toModelOutput` answers, as content. */
export function contentOfShaped(shaped: unknown): ContentPart[] {
  const { type, value } = (shaped ?? {}) as { type?: unknown; value?: unknown };
  if (type === "text") return [{ type: "text", text: String(value) }];
  if (type !== "content" || !Array.isArray(value))
    return [{ type: "text", text: JSON.stringify(value ?? shaped) }];
  return value.map((part: Record<string, unknown>): ContentPart => {
    if (part.type === "text") return { type: "text", text: String(part.text) };
    const isImage = typeof part.data === "string" && String(part.mediaType).startsWith("image/");
    return isImage
      ? { type: "image", data: String(part.data), mimeType: String(part.mediaType) }
      : { type: "text", text: JSON.stringify(part) };
  });
}
