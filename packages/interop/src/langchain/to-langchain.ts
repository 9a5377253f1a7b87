import { StructuredTool } from "@langchain/core/tools";
import {
  type Principal,
  type ProgressUpdate,
  type ToolDefinition,
  type ToolResult,
  toOpenAIResponses,
} from "@toolrig/core";
import {
  check,
  declareOptions,
  isWaiting,
  newId,
  type OptionTable,
  option,
  toPlain,
} from "@toolrig/core/kit";
import { LiveLoop } from "../beneath/live-loop.ts";
import { goOn } from "../beneath/put-off.ts";
import { unwrapped } from "../beneath/raw-arguments.ts";
import type { RigLike } from "../beneath/rig-like.ts";
import { peerApproval, runOption } from "../beneath/run-identity.ts";
import { type PeerCall, plainId, type Seat } from "../beneath/seat.ts";
import { type RunOf, Seats } from "../beneath/seats.ts";
import type { OwnAnswer } from "./answer.ts";
import { messageIn } from "./command.ts";
import { LANGCHAIN } from "./fields.ts";
import type { LangChainGiven } from "./from-langchain.ts";
import {
  answerTo,
  askAgain,
  decisionOf,
  InterruptOrder,
  mayInterrupt,
  type Place,
  sharedAnswer,
} from "./interrupts.ts";
import { contentOf, messageOf } from "./output.ts";
import { ownMessage, ownTool } from "./own-tool.ts";
import { contentText, resultsIn } from "./reading.ts";
import { type LangChainConfig, messagesIn, typeOf } from "./shape.ts";
import { SharedAnswers } from "./shared-answers.ts";
import { isCutOff } from "./with-raw-arguments.ts";

export interface LangChainOptions {
  /**
   * Which run calls are part of. Default: one for each message of the user in a thread, also when the graph is resumed; without a
   * checkpointer, one for each message of the user.
   */
  run?: RunOf<LangChainConfig>;
  /**
   * Who answers for a call that needs an approval: "peer" interrupts the graph until it is resumed with `{ approved, reason?,
   * args? }`, "inbox" holds the call until the rig's inbox has an answer, which is also what happens in a graph without a
   * checkpointer. Default "peer".
   */
  approval?: "peer" | "inbox";
  /** Under which name answers of the peer's people are recorded. Default "langgraph". */
  approver?: Principal;
  /** Names of tools after which a graph ends: LangGraph asks the tool for that, and not its result. Default none. */
  returnDirect?: readonly string[];
}

const langChainOptions = declareOptions("toLangChainTools", {
  run: runOption(),
  ...peerApproval,
  returnDirect: option.strings("a list of names of tools"),
} satisfies OptionTable<LangChainOptions>);

/** What the tools of one list have in common. */
interface Listed {
  seats: Seats<LangChainConfig>;
  approval: "peer" | "inbox";
  approver: Principal;
  order: InterruptOrder;
  answers: SharedAnswers;
}

const lists = new WeakMap<readonly object[], Seats<LangChainConfig>>();

/** The tools of a rig for a `ToolNode`, `createReactAgent` or LangChain's `createAgent`. */
export function toLangChainTools(rig: RigLike, options: LangChainOptions = {}): StructuredTool[] {
  langChainOptions.check(options);
  const { approval = "peer", approver = { id: "langgraph" }, returnDirect = [] } = options;
  const seats = new Seats(rig, options.run);
  const order = new InterruptOrder();
  const listed: Listed = { seats, approval, approver, order, answers: new SharedAnswers() };
  const tools = seats
    .definitions()
    .map((definition) => new RigTool(listed, definition, returnDirect.includes(definition.name)));
  lists.set(tools, seats);
  return tools;
}

/** Throws `OPTION_INVALID` for a list that was not made here. */
export function seatsOf(tools: readonly object[]): Seats<LangChainConfig> {
  const seats = lists.get(tools);
  if (seats === undefined) throw check.invalid("tools", "a list made by toLangChainTools", tools);
  return seats;
}

interface PlacedConfig extends LangChainConfig {
  place?: Place;
}

/** Every value matches it. */
const ANYTHING = {};

class RigTool extends StructuredTool {
  override name: string;
  override description: string;
  override schema: Record<string, unknown>;
  readonly listed: Listed;
  readonly ownName: string;

  readonly own: ReturnType<typeof ownTool>;

  constructor(listed: Listed, definition: ToolDefinition, returnDirect: boolean) {
    super({});
    const { name, description, parameters } = toOpenAIResponses(definition);
    this.name = name;
    this.ownName = definition.name;
    this.description = description;
    this.schema = parameters;
    this.returnDirect = returnDirect;
    this.listed = listed;
    this.own = ownTool(definition);
    Object.assign(this, this.own?.carried);
    if (returnDirect) this.returnDirect = true;
  }

  /** Listeners are shown the tool that they know. */
  override toJSON(): never {
    return (this.own?.source.toJSON?.() ?? super.toJSON()) as never;
  }

  /** Calls of one message come in their order, and are asked about in it. */
  override invoke(input: unknown, config: LangChainConfig = {}): Promise<unknown> {
    const place = this.listed.order.enter(config);
    // LangChain passes on what it does not know of a config.
    return super.invoke(input, { ...config, place } as never).finally(() => place.leave());
  }

  /** The model is told the schema; arguments are validated by the pipeline, and not before it. */
  override call(
    arg: unknown,
    config?: Parameters<StructuredTool["call"]>[1],
    tags?: string[],
  ): Promise<unknown> {
    const open: StructuredTool = Object.create(this, { schema: { value: ANYTHING } });
    // As LangChain's own tools: events have the name of the tool.
    const isNamed = this.own === undefined || "func" in this.own.source;
    const named = isNamed ? { ...config, runName: config?.runName ?? this.name } : config;
    return super.call.call(open, arg, named as never, tags);
  }

  protected override async _call(arg: unknown, runManager?: unknown, config: PlacedConfig = {}) {
    const id = config.toolCall?.id;
    const { place: _, ...given } = config;
    const loop = new LiveLoop(LANGCHAIN, { config: given, runManager } as LangChainGiven);
    const call: PeerCall = {
      id: id ?? newId("call"),
      name: this.name,
      tool: this.ownName,
      ...unwrapped(arg),
      signal: config.signal,
      loop,
    };
    // A tool of LangChain tells by itself.
    if (this.own === undefined) call.onProgress = (update) => tell(update, runManager, config);
    const messages = messagesIn(config.state);
    const response = messages.findLast((message) => typeOf(message) === "ai");
    if (response !== undefined) Object.assign(call, { within: response, response });
    if (isCutOff(response)) call.complete = false;
    const { results } = this.listed.seats;
    const seat = seatOf(this.listed.seats, config);
    results.tell(seat, resultsIn(messages));
    const result = await goOn((made) => resultOf(this.listed, made, config), call);
    const answer = await answerWith(this, result, loop.outputOf(result) as OwnAnswer | undefined, id);
    const content = contentIn(answer, contentOf(result));
    results.gave(seat, { callId: call.id, name: this.name, text: contentText(content) }, result);
    return answer;
  }
}

/** Throws what interrupts the graph. */
function answerWith(
  { own, name }: RigTool,
  result: ToolResult,
  answer: OwnAnswer | undefined,
  id: string | undefined,
): unknown {
  if (answer !== undefined && "thrown" in answer) throw answer.thrown;
  if (own !== undefined) return ownMessage(own.source, result, answer, id);
  return id === undefined ? contentOf(result) : messageOf(result, id, name);
}

/** What the model reads of an answer. */
function contentIn(answer: unknown, other: unknown): unknown {
  if (typeof answer !== "object" || answer === null) return answer;
  if ("lg_name" in answer) return messageIn(answer)?.content ?? other;
  return "content" in answer ? answer.content : answer;
}

async function resultOf(listed: Listed, call: PeerCall, config: PlacedConfig): Promise<ToolResult> {
  const { seats, approval, approver } = listed;
  const seat = seatOf(seats, config);
  if (approval === "inbox" || !mayInterrupt(config)) return seat.call(call);
  const isNew = (await seat.asked(call)) === undefined;
  if (isNew) {
    const result = await seat.call({ ...call, onWaiting: "return" });
    if (!isWaiting(result)) return result;
    if (result.waiting.kind !== "approval") return seat.call(call);
  }
  const answer = await answerFor(listed.answers, seat, call, config, isNew);
  // What was there before the question was asked is about something else, such as other arguments under the same id.
  const decision = isNew
    ? { approved: false, reason: "the answer that came is about another question" }
    : decisionOf(answer, call);
  return seat.callAnswered(call, { ...decision, by: approver });
}

/** The answer to the question about a call, in its turn. Throws what interrupts the graph when there is none that could be one. */
async function answerFor(
  answers: SharedAnswers,
  seat: Seat,
  call: PeerCall,
  config: PlacedConfig,
  isNew: boolean,
): Promise<unknown> {
  await config.place?.turn;
  const shared = sharedAnswer(config);
  const isIts = shared === undefined || (!isNew && (await answers.mayTake(shared, seat, call, config)));
  answers.ask(seat, call, config);
  if (!isIts) return askAgain(call, config);
  const answer = await answerTo(call);
  config.place?.leave();
  return answer;
}

/** The run of a call, by what the graph knows of it: names, else the message that it began with. */
export function seatOf(seats: Seats<LangChainConfig>, config: LangChainConfig): Seat {
  const messages = messagesIn(config.state);
  const human = messages.findLast((message) => typeOf(message) === "human");
  const thread = config.configurable?.thread_id;
  const found = [thread, human?.id]
    .filter((part) => typeof part === "string" && part !== "")
    .map((part) => plainId(String(part)))
    .join("/");
  // A graph without threads shows all there is; one with them may have summed up what it no longer shows.
  const shown = messages.length > 0 ? null : undefined;
  const run = found === "" ? (human ?? messages.at(-1)) : found;
  return seats.of(config, run, typeof thread === "string" ? thread : shown);
}

/** As a custom event of the graph's stream, and as an event of the tool for whoever listens to those. */
function tell(update: ProgressUpdate, runManager: unknown, { writer }: LangChainConfig): void {
  const told = toPlain(update);
  writer?.({ type: "tool-progress", update: told });
  const { handleToolEvent } = (runManager ?? {}) as { handleToolEvent?: (chunk: unknown) => unknown };
  handleToolEvent?.call(runManager, told);
}
