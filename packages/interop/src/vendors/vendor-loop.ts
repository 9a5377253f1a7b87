import type { ProgressUpdate, ToolDefinition, ToolResult } from "@toolrig/core";
import {
  check,
  declareOptions,
  defined,
  mayBeMade,
  newId,
  type OptionTable,
  option,
  type Refusal,
} from "@toolrig/core/kit";
import { sharedConversation } from "../beneath/conversation.ts";
import { partsOf, type RigLike } from "../beneath/rig-like.ts";
import { type GivenRun, runIdentity } from "../beneath/run-identity.ts";
import { Seat } from "../beneath/seat.ts";
import type { VendorTool } from "../schema/project.ts";
import { broughtInto } from "./brought.ts";
import { checkResponse, type ResponseField } from "./check-response.ts";

export interface VendorOptions {
  /** The run that the calls are part of. Default: a new one, whose calls nobody can repeat after a crash. */
  run?: GivenRun;
  /**
   * What happens to calls that wait for an approval, an answer or a result from elsewhere: they are held, or the model is told what
   * they wait for. Default "hold".
   */
  onWaiting?: "hold" | "return";
}

export interface AnswerOptions {
  signal?: AbortSignal;
  /**
   * Which turn of the conversation this is, such as the number of messages so far: what calls are known by after a crash where the
   * vendor gives them no ids, or repeats them.
   */
  turn?: number;
  /** Told what tools tell while they run. */
  onProgress?: (update: ProgressUpdate, call: { id: string; name: string }) => void;
}

/** Tools in a vendor's shape, and the way from its responses to its tool-result messages. */
export interface VendorLoop<Definition, Response, Said, Message, Event> {
  /** For the request's `tools`: those that could run now. */
  readonly tools: Definition[];
  readonly runId: string;
  /** The last answers ended the run: all of them asked for it, or a guard stopped it. */
  readonly over: boolean;
  /**
   * What goes into the conversation of a response: its own messages, with arguments that the vendor takes back. Throws
   * `OPTION_INVALID` for what is another vendor's, or no response.
   */
  said(response: Response): Said[];
  /**
   * The messages that answer the calls of a response, in their order; none when it has no calls. Rejects only
   * for options that are none, and for what is another vendor's response, or none.
   */
  answer(response: Response, options?: AnswerOptions): Promise<Message[]>;
  /** The response that a stream of the vendor's events comes to, with the model's own argument text. */
  collect(events: AsyncIterable<Event>): Promise<Response>;
  /** What the user wrote, for the information-flow guard: values that occur in it are the user's choice. */
  userSaid(text: string): void;
  /**
   * Somebody else brought something into the conversation: results of other tools, a page, what was read before a restart. The
   * information-flow guard is told, with where it came from.
   */
  outsiderSaid(source: string): void;
}

/** A call as it stands in a response. */
interface ReadCall {
  /** Absent or empty where the vendor gives none. */
  id?: string | undefined;
  name: string;
  /** Undefined where a response has none at all. */
  arguments: unknown;
  /** They break off. */
  complete?: false;
}

/** What a response asks for. */
interface ReadResponse {
  calls: readonly ReadCall[];
  /** Why it ended, where that was before its end. */
  cut?: string | undefined;
}

/** A call and what came of it. */
interface AnsweredCall extends ReadCall {
  result: ToolResult;
}

/** How one vendor writes things. */
export interface VendorFormat<Definition, Response, Said, Message, Event> {
  /** By which its responses are known. */
  field: ResponseField;
  project(definition: ToolDefinition): VendorTool;
  definitions(tools: readonly VendorTool[]): Definition[];
  read(response: Response): ReadResponse;
  said(response: Response): Said[];
  messages(answered: readonly AnsweredCall[]): Message[];
  collect(events: AsyncIterable<Event>): Promise<Response>;
}

const answerOptions = declareOptions("answer", {
  signal: option.abortSignal(),
  turn: option.count(0),
  onProgress: option.callback(),
} satisfies OptionTable<AnswerOptions>);

/** Throws `OPTION_INVALID`. */
export function vendorLoop<Definition, Response, Said, Message, Event>(
  rig: RigLike,
  { run, onWaiting = "hold" }: VendorOptions,
  format: VendorFormat<Definition, Response, Said, Message, Event>,
): VendorLoop<Definition, Response, Said, Message, Event> {
  const given = runIdentity(run);
  const { executor } = partsOf(rig);
  const isNamed = given.runId !== undefined;
  const conversation = isNamed ? undefined : sharedConversation(executor, given.principal);
  const seat = new Seat(rig, given, { conversation });
  const read = readOnce((source) => seat.outsiderSaid(source));
  const known = new Projections(seat, (definition) => format.project(definition));
  const isLocal = seat.executor.asksBeforeRun === true;
  let over = false;
  return {
    get tools() {
      return format.definitions(known.all());
    },
    runId: seat.runId,
    get over() {
      return over;
    },
    userSaid(text) {
      check.string("text", text);
      seat.flow?.userSaid(seat.runId, text);
    },
    outsiderSaid(source) {
      check.string("source", source);
      seat.outsiderSaid(source);
    },
    collect: (events) => format.collect(events),
    said(response) {
      checkResponse(response, format.field);
      read(response);
      return format.said(response);
    },
    async answer(response, options = {}) {
      answerOptions.check(options);
      checkResponse(response, format.field);
      const { signal, turn, onProgress } = options;
      read(response);
      const { calls, cut } = format.read(response);
      if (calls.length === 0) return [];
      const named = calls.map((call, index) => ({
        ...call,
        id: idOf(call, index, turn),
        tool: known.ownName(call.name),
      }));
      const results = await seat.batch(
        named.map(({ complete, ...call }) => ({
          ...call,
          turn,
          arguments: isLocal ? call.arguments : ownShape(known.of(call.tool), call.arguments),
          refusal: refusalOf({ ...call, complete }, cut, known),
          onProgress: onProgress && ((update: ProgressUpdate) => onProgress(update, call)),
        })),
        {
          onWaiting,
          reshape: (args, { name }) => known.of(name)?.back(args) ?? args,
          ...defined({ signal }),
        },
      );
      over =
        results.some(({ stop }) => stop !== undefined) ||
        results.every(({ terminate }) => terminate === true);
      return format.messages(calls.flatMap((call, index) => answered(call, results[index])));
    },
  };
}

/** Tells what a response brought from elsewhere, once. */
function readOnce(tell: (source: string) => void): (response: unknown) => void {
  const seen = new WeakSet<object>();
  return (response) => {
    if (typeof response !== "object" || response === null || seen.has(response)) return;
    seen.add(response);
    for (const kind of broughtInto(response)) tell(`${kind} in a response`);
  };
}

function answered(call: ReadCall, result: ToolResult | undefined): AnsweredCall[] {
  return result === undefined ? [] : [{ ...call, result }];
}

/** For an executor elsewhere, which cannot be asked to: text that has to be repaired goes as it is. */
function ownShape(tool: VendorTool | undefined, args: unknown): unknown {
  if (tool?.differs !== true) return args;
  if (typeof args !== "string") return tool.back(args);
  try {
    return tool.back(JSON.parse(args));
  } catch {
    return args;
  }
}

/** Calls of vendors that give no ids are known by their place, where that is the same after a crash. */
function idOf({ id }: ReadCall, index: number, turn: number | undefined): string {
  return id || (turn === undefined ? newId("call") : `call_${index + 1}`);
}

/** Why a call may not run, whoever would allow it. */
function refusalOf(
  {
    name,
    tool,
    arguments: args,
    complete,
  }: Omit<ReadCall, "complete"> & { tool: string; complete?: false | undefined },
  cut: string | undefined,
  known: Projections,
): Refusal | undefined {
  if (cut !== undefined) return cutOff(cut);
  if (complete === false) return cutOff("its arguments break off");
  if (!known.isTold(name)) return { code: "TOOL_NOT_FOUND", message: `There is no tool called "${name}".` };
  return (args ?? undefined) === undefined && known.takesArguments(tool) ? NO_ARGUMENTS : undefined;
}

/** Calls of a response that did not come to its end may not be what the model meant. */
function cutOff(why: string): Refusal {
  const message =
    `Your response was cut off (${why}), so the call may be incomplete and did not run. ` +
    "Make the call again, with less text before it or with shorter arguments.";
  return { code: "TOOL_ARGUMENTS_INVALID_JSON", message };
}

/** Where there could be some, nobody knows whether none were meant. */
const NO_ARGUMENTS: Refusal = {
  code: "TOOL_ARGUMENTS_INVALID_JSON",
  message: "The call came without arguments and did not run. Make it again with a JSON object, {} for none.",
};

/** What the vendor is told of each tool, made once a definition. */
class Projections {
  readonly #seat: Seat;
  readonly #project: (definition: ToolDefinition) => VendorTool;
  readonly #made = new WeakMap<ToolDefinition, VendorTool>();
  /** By the tools' own names. */
  #current = new Map<string, VendorTool>();
  /** Own names of all tools that the vendor was ever told of, by what it was told. */
  readonly #told = new Map<string, string>();

  constructor(seat: Seat, project: (definition: ToolDefinition) => VendorTool) {
    this.#seat = seat;
    this.#project = project;
  }

  all(): VendorTool[] {
    const all = this.#seat.definitions().map((definition) => {
      const made = this.#made.get(definition) ?? this.#project(definition);
      this.#made.set(definition, made);
      return made;
    });
    this.#current = new Map(all.map((each) => [each.tool, each]));
    for (const { name, tool } of all) this.#told.set(name, tool);
    return all;
  }

  of(tool: string): VendorTool | undefined {
    return this.#current.get(tool);
  }

  ownName(name: string): string {
    if (this.#current.size === 0) this.all();
    return this.#told.get(name) ?? name;
  }

  /** False for a name that looks like those that vendors are told, and is none: no tool is called so by having it for its own. */
  isTold(name: string): boolean {
    return this.#told.has(name) || !mayBeMade(name) || !this.#current.has(name);
  }

  takesArguments(tool: string): boolean {
    const { properties } = (this.#current.get(tool)?.schema ?? {}) as { properties?: object };
    return properties !== undefined && Object.keys(properties).length > 0;
  }
}
