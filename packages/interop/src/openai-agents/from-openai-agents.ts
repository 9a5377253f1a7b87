import {
  type AnyTool,
  type AskedCall,
  type ContentPart,
  failure,
  result,
  type ToolContext,
} from "@toolrig/core";
import { check, defineTool, refuseFields } from "@toolrig/core/kit";
import { givenBy } from "../beneath/live-loop.ts";
import { overlay } from "../beneath/overlay.ts";
import { agentsFields, OPENAI_AGENTS } from "./fields.ts";
import { guarded } from "./guardrails.ts";
import type { AgentsCallDetails, AgentsRunContext, AgentsTool } from "./shape.ts";

type Spec = Parameters<typeof defineTool>[0];

/** What the SDK's tools answer in the place of a value when they threw and have no `errorFunction` of their own. */
const FAILED = "An error occurred while running the tool. Please try again.";

/** What the SDK gives to a tool: beneath it, what it gave to this very call. */
export interface AgentsGiven {
  runContext: AgentsRunContext;
  details: AgentsCallDetails;
}

/**
 * A function tool of the OpenAI Agents SDK as a tool of a rig. Beneath the SDK it finds the run's own context; `context` is what it
 * finds as `runContext.context` elsewhere, and in a run that has none. What it does not say about safety counts as undeclared;
 * `more` adds to the definition or replaces parts of it.
 *
 * `agentsFields` decides what becomes of each of its fields. Throws `OPTION_INVALID` for a field that would be lost.
 */
export function fromOpenAIAgents(
  source: AgentsTool,
  { context, ...more }: Partial<Spec> & { context?: unknown } = {},
): AnyTool {
  check.object("source", source, "a function tool of the OpenAI Agents SDK");
  check.function("source.invoke", source.invoke, "a function: tools that OpenAI runs cannot run here");
  refuseFields("OpenAI Agents", agentsFields, source);
  const { name, description, parameters } = source;
  const enabled = new Enabled(source, context);
  const replaced = new Set(Object.keys(more) as (keyof Spec)[]);
  return defineTool(
    {
      name,
      description,
      input: parameters,
      type: OPENAI_AGENTS,
      available: () => enabled.available(),
      approval: async (args, call) =>
        Boolean(await source.needsApproval(runContextFor(call, context), args, call.callId)),
      async execute(args, call) {
        const runContext = runContextFor(call, context);
        // The SDK asks by itself, on each turn, and knows which agent it is about.
        if (!isMadeBySdk(call) && !(await enabled.look(runContext)))
          return failure({ kind: "unavailable", message: enabled.reason });
        const input = JSON.stringify(args);
        const details = detailsOf(name, input, call);
        const run = () => source.invoke(runContext, input, details);
        // The SDK runs guardrails around the call itself.
        const isBeneath = call.loop?.name === OPENAI_AGENTS;
        return outcomeOf(await (isBeneath ? run() : guarded(source, runContext, details, run)));
      },
      ...more,
    },
    { trusted: true, origin: { name: OPENAI_AGENTS, source, replaced } },
  );
}

/** Tools of which only a run can say whether they are enabled: by its context, its agent or its time. */
const saidByRuns = new WeakSet<AgentsTool>();

/** Whether the SDK finds a tool enabled in a run of its own. */
export async function isEnabledIn(
  source: AgentsTool,
  runContext: AgentsRunContext,
  agent: unknown,
): Promise<boolean> {
  const isOn = await source.isEnabled(runContext, agent);
  // The pipeline goes by what was said without a run, which may be something else.
  if (isOn) saidByRuns.add(source);
  return isOn;
}

let isForSdk = false;

/** Lists tools for the SDK, which asks by itself on each turn: also those that are not enabled now. */
export function listForSdk<Listed>(list: () => Listed): Listed {
  isForSdk = true;
  try {
    return list();
  } finally {
    isForSdk = false;
  }
}

/** Whether a tool is enabled, which the SDK asks each time and waits for: lists have what was said the last time. */
class Enabled {
  readonly reason: string;
  readonly #source: AgentsTool;
  readonly #context: unknown;
  #isOn = true;

  constructor(source: AgentsTool, context: unknown) {
    this.reason = `${source.name} is not enabled.`;
    this.#source = source;
    this.#context = context;
    void this.#listed();
  }

  available(): true | string {
    void this.#listed();
    return this.#isOn || isForSdk || saidByRuns.has(this.#source) || this.reason;
  }

  /** What cannot be said is a no. */
  async look(runContext: AgentsRunContext, agent: object = { name: "toolrig" }): Promise<boolean> {
    const { isEnabled } = this.#source;
    try {
      return (await isEnabled?.(runContext, agent)) !== false;
    } catch {
      return false;
    }
  }

  /** Where it depends on the agent of a run, or on a context that was not given, a listing cannot say: each call can. */
  async #listed(): Promise<void> {
    const isByRun = () => void saidByRuns.add(this.#source);
    const runContext = contextOf(this.#context);
    if (this.#context === undefined)
      Object.defineProperty(runContext, "context", { get: () => isByRun() ?? {} });
    const agent = new Proxy(
      { name: "toolrig" },
      { get: (target, key) => isByRun() ?? Reflect.get(target, key) },
    );
    this.#isOn = await this.look(runContext, agent);
  }
}

/** The call itself, and not one that a tool makes within it. */
function isMadeBySdk(call: ToolContext): boolean {
  return givenBy<AgentsGiven>(OPENAI_AGENTS, call)?.context.details.toolCall?.callId === call.callId;
}

/** The live context of the run. One that holds nothing is filled with what was given. */
function runContextFor(call: Pick<AskedCall, "loop">, given: unknown): AgentsRunContext {
  const live = givenBy<AgentsGiven>(OPENAI_AGENTS, call)?.context.runContext;
  if (live === undefined) return contextOf(given);
  return given === undefined || isFilled(live.context) ? live : overlay(live, { context: given });
}

function isFilled(context: unknown): boolean {
  return typeof context === "object" && context !== null
    ? Object.keys(context).length > 0
    : context !== undefined;
}

function contextOf(context: unknown = {}): AgentsRunContext {
  return { context, usage: {}, isToolApproved: () => true } as AgentsRunContext;
}

/** As the SDK gives them to this very call. A call that another tool makes has its own. */
function detailsOf(name: string, input: string, call: ToolContext): AgentsCallDetails {
  const { callId, signal } = call;
  const live = givenBy<AgentsGiven>(OPENAI_AGENTS, call)?.context.details;
  if (live?.toolCall?.callId === callId) return { ...live, signal };
  const toolCall = { type: "function_call", callId, name, arguments: input, status: "completed" };
  return { toolCall, signal } as AgentsCallDetails;
}

function outcomeOf(output: unknown): unknown {
  if (output === FAILED) return failure(output);
  const content = partsIn(output);
  return content === undefined ? output : result({ value: output, content });
}

/** The content of structured output. Undefined for any other. */
export function partsIn(output: unknown): ContentPart[] | undefined {
  const content = (Array.isArray(output) ? output : [output]).map(partOf);
  return content.length > 0 && content.every((part) => part !== undefined) ? content : undefined;
}

/** A part of the SDK's structured outputs, of which only some hold their data themselves. */
function partOf(part: unknown): ContentPart | undefined {
  if (typeof part !== "object" || part === null) return undefined;
  const { type, text, image } = part as Record<string, unknown>;
  if (type === "text" && typeof text === "string") return { type: "text", text };
  if (type !== "image") return undefined;
  const { data, mediaType, url } =
    typeof image === "string" ? { url: image } : ((image ?? part) as Record<string, unknown>);
  if (typeof data === "string" && typeof mediaType === "string")
    return { type: "image", data, mimeType: mediaType };
  const inline = typeof url === "string" ? /^data:([^;,]+);base64,(.*)$/s.exec(url) : null;
  if (inline?.[1] !== undefined && inline[2] !== undefined)
    return { type: "image", data: inline[2], mimeType: inline[1] };
  return typeof url === "string" ? { type: "resource", uri: url } : undefined;
}
