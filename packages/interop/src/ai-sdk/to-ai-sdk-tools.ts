import { toAiSdk } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import type { Tool, ToolSet } from "ai";
import type { RigLike } from "../beneath/rig-like.ts";
import type { PeerCall } from "../beneath/seat.ts";
import { type OwnTool, ownTool, toldSchema } from "./from-tool.ts";
import { type AiSdkCall, type AiSdkOptions, aiSdkOptions } from "./options.ts";
import { modelOutput, outputOf, type ShownOutput } from "./output.ts";
import { remember, ToolSetState } from "./state.ts";
import { Streamed } from "./streamed.ts";

/** The options of the AI SDK's `execute`, by what is read of them. */
interface ExecuteOptions extends AiSdkCall {
  abortSignal?: AbortSignal;
}

/**
 * The tools of a rig or an executor for `generateText`, `streamText` and `ToolLoopAgent`: every call goes through the pipeline. They
 * are those that could run when this is called; a rig whose tools come and go makes them anew for each use.
 *
 * Arguments are judged by the pipeline alone, so that what is wrong with them is explained, recorded and, where it may be, repaired.
 * Throws `OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { Executor, tool } from "@toolrig/core";
 * import { toAiSdkTools } from "@toolrig/interop/ai-sdk";
 *
 * const input = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;
 * const weather = tool({ name: "weather", description: "The weather in a city", input, execute: () => "sunny" });
 * const tools = toAiSdkTools(new Executor({ tools: [weather] }), { run: "run_1" });
 * console.log(Object.keys(tools)); //=> [ 'weather' ]
 * ```
 */
export function toAiSdkTools(rig: RigLike, options: AiSdkOptions = {}): ToolSet {
  aiSdkOptions.check(options);
  const state = new ToolSetState(rig, options);
  const tools: ToolSet = {};
  for (const [key, definition] of state.definitions) {
    const own = ownTool(definition);
    const { description, annotations } = definition;
    const told = toAiSdk(definition);
    const tool = {
      description: told.description || description,
      ...defined({ title: annotations?.title }),
      ...own?.carried,
      inputSchema: toldSchema(own, told.inputSchema),
      execute: executeOf(state, key, own, options.progress ?? state.streams(definition, own)),
      toModelOutput: (shown: ShownOutput) => modelOutput(shown, own),
      ...(state.asksPeer && {
        needsApproval: (input: unknown, call: AiSdkCall) =>
          state.needsApproval({ ...call, toolName: key, input }),
      }),
    };
    tools[key] = tool as Tool;
  }
  remember(tools, state);
  return tools;
}

function executeOf(state: ToolSetState, toolName: string, own: OwnTool | undefined, progress: boolean) {
  const run = async (input: unknown, options: ExecuteOptions, onProgress?: PeerCall["onProgress"]) => {
    const result = await state.run({ ...options, toolName, input }, options, onProgress);
    return outputOf(result, own, input);
  };
  if (!progress) return (input: unknown, options: ExecuteOptions) => run(input, options);
  return (input: unknown, options: ExecuteOptions) =>
    new Streamed((onProgress) => run(input, options, onProgress));
}
