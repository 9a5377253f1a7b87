import { type ProgressUpdate, type ToolDefinition, type ToolResult, toOpenAIResponses } from "@toolrig/core";
import { carriedFields, declareOptions, defined, type OptionTable, toPlain } from "@toolrig/core/kit";
import { LiveLoop, sourceOf } from "../beneath/live-loop.ts";
import { unwrapped } from "../beneath/raw-arguments.ts";
import type { RigLike } from "../beneath/rig-like.ts";
import { runOption } from "../beneath/run-identity.ts";
import type { PeerCall } from "../beneath/seat.ts";
import { type RunOf, Seats } from "../beneath/seats.ts";
import { shown, ToolCallError } from "../beneath/shown.ts";
import { PI, piFields } from "./fields.ts";
import type { PiGiven } from "./from-pi.ts";
import type { PiTool, PiToolResult } from "./shape.ts";

export interface PiOptions {
  /** Which run calls are part of. Default: one for each run of the agent, found by its signal. */
  run?: RunOf<AbortSignal | undefined>;
}

const piOptions = declareOptions("toPiTools", { run: runOption() } satisfies OptionTable<PiOptions>);

/** Every value matches it. */
const ANYTHING = {};

/**
 * The tools of a rig for an agent of pi: `new Agent({ initialState: { tools: toPiTools(rig), ... } })`. A call that needs an
 * approval waits in the rig's inbox, since pi has none.
 */
export function toPiTools(rig: RigLike, options: PiOptions = {}): PiTool[] {
  piOptions.check(options);
  const seats = new Seats(rig, options.run);
  return seats.definitions().map((definition) => toPiTool(seats, definition));
}

function toPiTool(seats: Seats<AbortSignal | undefined>, definition: ToolDefinition): PiTool {
  const told = toOpenAIResponses(definition);
  const { name } = told;
  const own = ownTool(definition);
  const parameters = own?.carried.parameters ?? told.parameters;
  let isOpen = false;
  const executionMode = seats.usual.executor.tools?.get(definition.name)?.mode;
  const tool: PiTool = {
    name,
    label: definition.annotations?.title ?? definition.name,
    description: told.description,
    ...(executionMode === "sequential" && { executionMode }),
    ...own?.carried,
    parameters,
    prepareArguments(args) {
      isOpen = true;
      queueMicrotask(() => {
        isOpen = false;
      });
      return args;
    },
    async execute(id, params, signal, onUpdate) {
      const loop = new LiveLoop(PI, { toolCallId: id, onUpdate } satisfies PiGiven);
      const call: PeerCall = {
        id,
        name,
        tool: definition.name,
        ...unwrapped(params),
        signal,
        within: signal,
        loop,
      };
      // A tool of pi tells by itself.
      if (onUpdate !== undefined && own === undefined)
        call.onProgress = (update: ProgressUpdate) => onUpdate(progressOf(update));
      const result = await seats.of(signal, signal).call(call);
      return own === undefined ? answerOf(result) : ownAnswer(result, loop.outputOf(result));
    },
  };
  /*
   * pi validates arguments right after it has had them prepared, and would keep from the pipeline what it could have repaired,
   * explained and recorded. At that moment, and at no other, its validator is shown a schema that takes anything.
   */
  return Object.defineProperty(tool, "parameters", {
    get: () => (isOpen ? ANYTHING : parameters),
    enumerable: true,
    configurable: true,
  });
}

/** A tool of pi that a rig's tool was made from: what pi is given of it as it was. Undefined for any other tool. */
function ownTool(definition: ToolDefinition): { carried: Partial<PiTool> } | undefined {
  const own = sourceOf<PiTool>(PI, definition);
  if (own === undefined || !own.isOwn("execute")) return undefined;
  const carried: Partial<PiTool> = carriedFields(piFields, own.source);
  if (!own.isOwn("description") || definition.description !== own.description) delete carried.description;
  if (!own.isOwn("label")) delete carried.label;
  if (!own.isOwn("input")) delete carried.parameters;
  if (!own.isOwn("mode")) delete carried.executionMode;
  return { carried };
}

/** What the tool answered, where the result still says the same. */
function ownAnswer(result: ToolResult, answer: unknown): PiToolResult {
  const told = answerOf(result);
  const { content, usage, terminate } = (answer ?? {}) as Partial<PiToolResult>;
  const isSame = content !== undefined && JSON.stringify(content) === JSON.stringify(result.content);
  return {
    content: isSame ? content : told.content,
    details: toPlain(result.details),
    ...defined({ usage }),
    ...((told.terminate === true || terminate === true) && { terminate: true }),
  };
}

/** Failures are thrown, as pi's tools do it, unless a guard has ended the run: that is something only an answer can ask for. */
function answerOf(result: ToolResult): PiToolResult {
  const ends = result.terminate === true || result.stop !== undefined;
  if (result.isError && !ends) throw new ToolCallError(result);
  const { text, images, structured } = shown(result);
  return {
    content: [
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...images.map((image) => ({ type: "image" as const, ...image })),
    ],
    details: toPlain({
      executionId: result.executionId,
      ...defined({ value: structured, details: result.details }),
    }),
    ...(ends && { terminate: true }),
  };
}

function progressOf(update: ProgressUpdate): PiToolResult {
  const { content } = update;
  return {
    content: content === undefined ? [] : [{ type: "text", text: content }],
    details: toPlain(update),
  };
}
