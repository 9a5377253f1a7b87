import { Executor, type Safety, tool } from "@toolrig/core";
import { rigMiddleware, toAiSdkTools } from "@toolrig/interop/ai-sdk";
import { generateText, isStepCount, type ToolSet, wrapLanguageModel } from "ai";
import { scriptedModel } from "./ai-sdk.ts";
import type { Peer } from "./peer.ts";

/** The AI SDK's loop as in `ai-sdk.ts`, its tools being those of an executor with default options. */
export function beneathAiSdk({
  sideEffects,
  raw,
}: {
  sideEffects: Safety["sideEffects"];
  raw: boolean;
}): Peer {
  return (tasks) => {
    const own = tasks.map(({ name, description, jsonSchema, run }) =>
      tool({ name, description, input: jsonSchema, execute: run, safety: { sideEffects } }),
    );
    const tools = toAiSdkTools(new Executor({ tools: own })) as ToolSet;
    return (script, turns = Number.MAX_SAFE_INTEGER) => {
      const model = scriptedModel(script);
      return generateText({
        model: raw ? wrapLanguageModel({ model, middleware: rigMiddleware(tools) as never }) : model,
        tools,
        prompt: "go",
        stopWhen: isStepCount(turns),
      });
    };
  };
}
