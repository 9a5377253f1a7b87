import { toAiSdk } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import { jsonSchema, type Tool, type ToolSet } from "ai";
import type { RigLike } from "../beneath/rig-like.ts";
import type { PeerCall } from "../beneath/seat.ts";
import { type AiSdkCall, type AiSdkOptions, aiSdkOptions } from "./options.ts";
import { modelOutput, outputOf } from "./output.ts";
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
    const { description, annotations } = definition;
    const told = toAiSdk(definition);
    const tool = {
      description: told.description || description,
      ...defined({ title: annotations?.title }),
      inputSchema: jsonSchema(told.inputSchema as never, { validate: taken }),
      execute: executeOf(state, key, options.progress ?? true),
      toModelOutput: ({ output }: { output: unknown }) => modelOutput(output),
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

/** Whatever is wrong with arguments is the pipeline's to say. */
function taken(value: unknown) {
  return { success: true as const, value };
}

function executeOf(state: ToolSetState, toolName: string, progress: boolean) {
  const run = async (input: unknown, options: ExecuteOptions, onProgress?: PeerCall["onProgress"]) =>
    outputOf(await state.run({ ...options, toolName, input }, options.abortSignal, onProgress));
  if (!progress) return (input: unknown, options: ExecuteOptions) => run(input, options);
  return (input: unknown, options: ExecuteOptions) =>
    new Streamed((onProgress) => run(input, options, onProgress));
}
