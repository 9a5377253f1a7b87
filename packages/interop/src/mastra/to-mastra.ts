import {
  type JsonSchema,
  type Principal,
  type ToolDefinition,
  type ToolResult,
  toOpenAIResponses,
} from "@toolrig/core";
import { declareOptions, isWaiting, newId, type OptionTable, toPlain } from "@toolrig/core/kit";
import { unwrapped } from "../beneath/raw-arguments.ts";
import type { RigLike } from "../beneath/rig-like.ts";
import { peerApproval, runOption } from "../beneath/run-identity.ts";
import type { PeerCall } from "../beneath/seat.ts";
import { type RunOf, Seats } from "../beneath/seats.ts";
import { modelOutput, outputOf } from "./output.ts";
import { ResumedCalls } from "./resumed-calls.ts";
import type { MastraContext } from "./shape.ts";

export interface MastraOptions {
  /** Which run calls are part of. Default: one for each run of the agent or workflow, also when that is resumed. */
  run?: RunOf<MastraContext>;
  /**
   * Who answers for a call that needs an approval: "peer" suspends the run until it is resumed with `{ approved, reason?, args? }`,
   * and has Mastra run calls one after the other, so that an answer is about one of them; "inbox" holds the call until the rig's inbox has an answer, which is also what happens where Mastra has no storage to suspend
   * to. Default "peer".
   */
  approval?: "peer" | "inbox";
  /** Under which name answers of the peer's people are recorded. Default "mastra". */
  approver?: Principal;
}

const mastraOptions = declareOptions("toMastraTools", {
  run: runOption(),
  ...peerApproval,
} satisfies OptionTable<MastraOptions>);

/** What marks tools of Mastra, also those of another copy of it. */
const TOOL = Symbol.for("mastra.core.tool.Tool");

/** What the tools of one list have in common. */
interface Listed {
  seats: Seats<MastraContext>;
  approval: "peer" | "inbox";
  approver: Principal;
  resumed: ResumedCalls;
}

/** The tools of a rig for an agent of Mastra: `new Agent({ tools: toMastraTools(rig), ... })`. */
export function toMastraTools(rig: RigLike, options: MastraOptions = {}) {
  mastraOptions.check(options);
  const { approval = "peer", approver = { id: "mastra" } } = options;
  const seats = new Seats(rig, options.run);
  const listed: Listed = { seats, approval, approver, resumed: new ResumedCalls() };
  const tools = seats.definitions().map((definition) => toTool(listed, definition));
  return Object.fromEntries(tools.map((tool) => [tool.id, tool]));
}

function toTool(listed: Listed, definition: ToolDefinition) {
  const { name, description, parameters } = toOpenAIResponses(definition);
  return {
    [TOOL]: true,
    id: name,
    description,
    ...(definition.annotations !== undefined && { mcp: { annotations: definition.annotations } }),
    inputSchema: openSchema(parameters),
    // Tools that may suspend are run one after the other: Mastra would hand one answer to all that are suspended at once.
    ...(listed.approval === "peer" && { suspendSchema: openSchema({ type: "object" }) }),
    toModelOutput: modelOutput,
    onInputAvailable({ toolCallId, input }: { toolCallId: string; input: unknown }) {
      listed.resumed.announce(toolCallId, input);
    },
    async execute(input: unknown, context: MastraContext = {}): Promise<unknown> {
      const call: PeerCall = {
        id: context.agent?.toolCallId ?? newId("call"),
        name,
        tool: definition.name,
        ...unwrapped(input),
        signal: context.abortSignal,
        within: context.runId ?? context.workflow?.runId,
        onProgress: (update) => void context.writer?.write(toPlain(update)),
      };
      const result = await resultOf(listed, call, context);
      return result === undefined ? undefined : outputOf(result);
    },
  };
}

/** The model is told the schema; arguments are validated by the pipeline, and not before it. */
function openSchema(schema: JsonSchema) {
  const told = () => schema as Record<string, unknown>;
  return {
    "~standard": {
      version: 1 as const,
      vendor: "toolrig",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: told, output: told },
    },
  };
}

/** Undefined once the run is suspended. */
async function resultOf(
  { seats, approval, approver, resumed }: Listed,
  call: PeerCall,
  context: MastraContext,
): Promise<ToolResult | undefined> {
  const { runId, agent, workflow, mastra } = context;
  const seat = seats.of(context, runId ?? workflow?.runId, conversationOf(context));
  const { suspend } = agent ?? workflow ?? {};
  const maySuspend = approval === "peer" && suspend !== undefined && Boolean(mastra?.getStorage?.());
  if (!maySuspend || !resumed.isTrusted(call.id, context)) return seat.call(call);
  const decision = resumed.decisionFor(call.id, context);
  const returning = { ...call, onWaiting: "return" as const };
  const result = await (decision === undefined
    ? seat.call(returning)
    : seat.callAnswered(returning, { ...decision, by: approver }));
  if (!isWaiting(result)) return result;
  if (result.waiting.kind !== "approval") return seat.call(call);
  const { id: callId, name, arguments: args } = call;
  await suspend({ type: "approval", tool: name, callId, arguments: args, reason: result.waiting.note });
  return undefined;
}

/** The thread of a resource, where the agent has a memory. */
function conversationOf({ agent }: MastraContext): string | undefined {
  return agent?.threadId === undefined ? undefined : JSON.stringify([agent.resourceId, agent.threadId]);
}
