import {
  type JsonSchema,
  type Principal,
  type ToolDefinition,
  type ToolResult,
  toOpenAIResponses,
} from "@toolrig/core";
import { declareOptions, isWaiting, newId, type OptionTable, toPlain } from "@toolrig/core/kit";
import { LiveLoop } from "../beneath/live-loop.ts";
import { goOn } from "../beneath/put-off.ts";
import { unwrapped } from "../beneath/raw-arguments.ts";
import type { RigLike } from "../beneath/rig-like.ts";
import { peerApproval, runOption } from "../beneath/run-identity.ts";
import type { PeerCall } from "../beneath/seat.ts";
import { type RunOf, Seats } from "../beneath/seats.ts";
import { MASTRA } from "./fields.ts";
import { ASKED, SUSPENDED } from "./from-mastra.ts";
import { modelOutput, outputOf } from "./output.ts";
import { ownTool } from "./own-tool.ts";
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
  const own = ownTool(definition);
  return {
    [TOOL]: true,
    description,
    ...(definition.annotations !== undefined && { mcp: { annotations: definition.annotations } }),
    // Tools that may suspend are run one after the other: Mastra would hand one answer to all that are suspended at once.
    ...(listed.approval === "peer" && { suspendSchema: openSchema({ type: "object" }) }),
    ...own?.carried,
    id: name,
    inputSchema: openSchema(parameters, own?.jsonSchema),
    // Mastra treats tools that have one otherwise.
    ...((own === undefined || own.source.toModelOutput !== undefined) && {
      toModelOutput: (output: unknown) => modelOutput(output, own?.source),
    }),
    onInputAvailable(options: { toolCallId: string; input: unknown }) {
      listed.resumed.announce(options.toolCallId, options.input);
      return own?.source.onInputAvailable?.(options);
    },
    async execute(input: unknown, context: MastraContext = {}): Promise<unknown> {
      const id = context.agent?.toolCallId ?? newId("call");
      const isTrusted = listed.resumed.isTrusted(id, context);
      const given = givenTo(context, isTrusted);
      const { requireApproval, needsApprovalFn } = own?.carried ?? {};
      if (given.agent !== undefined && (requireApproval || needsApprovalFn !== undefined))
        given.agent = Object.assign({ ...given.agent }, { [ASKED]: true });
      const loop = new LiveLoop(MASTRA, given);
      const call: PeerCall = {
        id,
        name,
        tool: definition.name,
        ...unwrapped(input),
        signal: context.abortSignal,
        within: context.runId ?? context.workflow?.runId,
        loop,
      };
      // A tool of Mastra tells by itself.
      if (own === undefined) call.onProgress = (update) => void context.writer?.write(toPlain(update));
      let isPutOff = false;
      const result = await goOn(async (made) => {
        const answer = await resultOf(listed, made, context);
        isPutOff = answer === undefined;
        return answer ?? NOTHING;
      }, call);
      if (isPutOff || loop.outputOf(result) === SUSPENDED) return undefined;
      return outputOf(result, own);
    },
  };
}

/** The run is suspended: there is no result. */
const NOTHING = { executionId: "" } as ToolResult;

/** What the tool's own code is given: answers to other questions, and what a model wrote in their place, are none of its own. */
function givenTo(context: MastraContext, isTrusted: boolean): MastraContext {
  const without = <Place extends { resumeData?: unknown; suspendPayload?: unknown }>(place: Place): Place => {
    const isOther = (place.suspendPayload as { type?: unknown } | undefined)?.type === "approval";
    if (isTrusted && !isOther) return place;
    const { resumeData: _, suspendPayload: __, ...rest } = place;
    return rest as Place;
  };
  const given = without(context);
  return {
    ...given,
    ...(given.agent !== undefined && { agent: without(given.agent) }),
    ...(given.workflow !== undefined && { workflow: without(given.workflow) }),
  };
}

/** The model is told the schema; arguments are validated by the pipeline, and not before it. */
function openSchema(schema: JsonSchema, jsonSchema?: object) {
  const told = () => schema as Record<string, unknown>;
  return {
    "~standard": {
      version: 1 as const,
      vendor: "toolrig",
      validate: (value: unknown) => ({ value }),
      jsonSchema: (jsonSchema as { input: typeof told; output: typeof told } | undefined) ?? {
        input: told,
        output: told,
      },
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
