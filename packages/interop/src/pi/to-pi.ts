import { type ProgressUpdate, type ToolDefinition, type ToolResult, toOpenAIResponses } from "@toolrig/core";
import { declareOptions, defined, type OptionTable, toPlain } from "@toolrig/core/kit";
import { unwrapped } from "../beneath/raw-arguments.ts";
import type { RigLike } from "../beneath/rig-like.ts";
import { runOption } from "../beneath/run-identity.ts";
import { type RunOf, Seats } from "../beneath/seats.ts";
import { shown, ToolCallError } from "../beneath/shown.ts";
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
  const { name, description, parameters } = toOpenAIResponses(definition);
  let isOpen = false;
  return {
    name,
    label: definition.annotations?.title ?? definition.name,
    description,
    /*
     * pi validates arguments right after it has had them prepared, and would keep from the pipeline what it could have repaired,
     * explained and recorded. At that moment, and at no other, its validator is shown a schema that takes anything.
     */
    get parameters() {
      return isOpen ? ANYTHING : parameters;
    },
    prepareArguments(args) {
      isOpen = true;
      queueMicrotask(() => {
        isOpen = false;
      });
      return args;
    },
    async execute(id, params, signal, onUpdate) {
      const call = { id, name, tool: definition.name, ...unwrapped(params), signal, within: signal };
      const onProgress = onUpdate && ((update: ProgressUpdate) => onUpdate(progressOf(update)));
      return answerOf(await seats.of(signal, signal).call({ ...call, onProgress }));
    },
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
