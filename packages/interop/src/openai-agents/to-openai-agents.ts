import {
  type Principal,
  type ProgressUpdate,
  type ToolDefinition,
  type ToolResult,
  toOpenAIResponses,
} from "@toolrig/core";
import { check, declareOptions, type OptionTable, option } from "@toolrig/core/kit";
import { LiveLoop } from "../beneath/live-loop.ts";
import { unwrapped } from "../beneath/raw-arguments.ts";
import type { RigLike } from "../beneath/rig-like.ts";
import { peerApproval, runOption } from "../beneath/run-identity.ts";
import type { PeerCall } from "../beneath/seat.ts";
import { type RunOf, Seats } from "../beneath/seats.ts";
import { shown } from "../beneath/shown.ts";
import { AskedCalls } from "./asked-calls.ts";
import { noteEnd } from "./end-of-run.ts";
import { OPENAI_AGENTS } from "./fields.ts";
import { type AgentsGiven, isEnabledIn, listForSdk } from "./from-openai-agents.ts";
import { type GuardrailData, heard } from "./guardrails.ts";
import { ownOutput, ownTool } from "./own-tool.ts";
import { answering } from "./sdk-tool.ts";
import type { AgentsCallDetails, AgentsOutput, AgentsRunContext, AgentsTool } from "./shape.ts";

export interface OpenAIAgentsOptions {
  /**
   * Which run calls are part of. Default: one for each run of a runner, found by its context. A run that is resumed from its
   * serialised state in another process has another context: there, give an id.
   */
  run?: RunOf<AgentsRunContext>;
  /**
   * Who answers for a call that needs an approval: "peer" interrupts the run until `state.approve` or `state.reject`, "inbox"
   * holds the call until the rig's inbox has an answer. Default "peer".
   */
  approval?: "peer" | "inbox";
  /** Under which name answers of the peer's people are recorded. Default "openai-agents". */
  approver?: Principal;
  /** Told what a tool tells while it runs. The SDK has no place for it. */
  onProgress?: (update: ProgressUpdate, call: { callId: string; name: string }) => void;
}

const agentsOptions = declareOptions("toOpenAIAgentsTools", {
  run: runOption(),
  ...peerApproval,
  onProgress: option.callback(),
} satisfies OptionTable<OpenAIAgentsOptions>);

/** What the tools of one list have in common. */
interface Listed extends OpenAIAgentsOptions {
  seats: Seats<AgentsRunContext>;
  asked: AskedCalls;
}

const lists = new WeakMap<readonly AgentsTool[], Listed>();

/** The tools of a rig for an agent of the OpenAI Agents SDK: `new Agent({ tools: toOpenAIAgentsTools(rig), ... })`. */
export function toOpenAIAgentsTools(rig: RigLike, options: OpenAIAgentsOptions = {}): AgentsTool[] {
  agentsOptions.check(options);
  const { approver = { id: "openai-agents" } } = options;
  const seats = new Seats(rig, options.run);
  const listed: Listed = { ...options, seats, asked: new AskedCalls(approver) };
  const tools = listForSdk(() => seats.definitions()).map((definition) => toTool(listed, definition));
  lists.set(tools, listed);
  return tools;
}

/** Throws `OPTION_INVALID` for a list that was not made here. */
export function listedOf(tools: readonly AgentsTool[]): Listed {
  const listed = lists.get(tools);
  if (listed === undefined) throw check.invalid("tools", "a list made by toOpenAIAgentsTools", tools);
  return listed;
}

function toTool(listed: Listed, definition: ToolDefinition): AgentsTool {
  const told = toOpenAIResponses(definition);
  const { name } = told;
  const { seats, asked, approval = "peer", onProgress } = listed;
  const own = ownTool(definition);
  const callOf = (given: AgentsGiven, input: unknown): PeerCall => ({
    id: given.details.toolCall?.callId ?? "",
    name,
    tool: definition.name,
    within: given.runContext,
    ...unwrapped(input),
    loop: new LiveLoop(OPENAI_AGENTS, given),
  });
  return answering({
    ...told,
    ...own?.carried,
    ...(own?.source.inputGuardrails !== undefined && {
      inputGuardrails: heard(own.source.inputGuardrails, refuse),
    }),
    name,
    async isEnabled(runContext: AgentsRunContext, agent: unknown) {
      await asked.settleRejected(runContext);
      if (own !== undefined && !(await isEnabledIn(own.source, runContext, agent))) return false;
      return seats.definitions().some((each) => each.name === definition.name);
    },
    async needsApproval(runContext: AgentsRunContext, input: unknown, callId?: string) {
      if (approval === "inbox" || callId === undefined) return false;
      // The SDK looks again before it goes on with a call that was approved. A question that began now would take that approval.
      if (runContext.isToolApproved({ toolName: name, callId }) === true) return true;
      const call = callOf({ runContext, details: { toolCall: { callId } } }, input);
      const seat = seats.of(runContext, runContext);
      const waiting = await seat.begin(call);
      if (waiting !== undefined) asked.add(runContext, seat, call);
      return waiting !== undefined;
    },
    async run(input: unknown, runContext: AgentsRunContext, details: AgentsCallDetails = {}) {
      const { id: callId, ...call } = callOf({ runContext, details }, input);
      const made: PeerCall = { id: callId, ...call, signal: details.signal };
      if (onProgress !== undefined) made.onProgress = (update) => onProgress(update, { callId, name });
      const seat = seats.of(runContext, runContext);
      const result = await (approval === "peer" ? asked.call(runContext, seat, made) : seat.call(made));
      const output = outputOf(result);
      noteEnd(runContext, callId, result, output);
      return own === undefined ? output : ownOutput(result, output);
    },
  });

  /** A call that a guardrail of the tool keeps from running. */
  function refuse({ context, toolCall }: GuardrailData, message: string) {
    const { callId: id, arguments: args } = toolCall;
    const seat = seats.of(context, context);
    return seat.refuse(
      { id, name, tool: definition.name, arguments: args },
      { code: "TOOL_BLOCKED", message },
    );
  }
}

function outputOf(result: ToolResult): AgentsOutput {
  const { text, images } = shown(result);
  if (images.length === 0) return text;
  return [
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...images.map(({ data, mimeType }) => ({ type: "image" as const, image: { data, mediaType: mimeType } })),
  ];
}
