import { generateText, isStepCount, jsonSchema, type LanguageModel, tool } from "ai";
import { Ajv } from "ajv";
import type { Reply, Script, Task } from "../workload.ts";
import type { Peer } from "./peer.ts";

/**
 * `generateText`, without streaming. Tools have a plain JSON Schema and a compiled Ajv validator: a zod schema is
 * converted again for every request, which costs the SDK more the larger the schema is.
 */
export const aiSdk: Peer = (tasks) => {
  const tools = Object.fromEntries(tasks.map((task) => [task.name, asTool(task)]));
  return (script, turns = Number.MAX_SAFE_INTEGER) =>
    generateText({ model: scriptedModel(script), tools, prompt: "go", stopWhen: isStepCount(turns) });
};

function asTool(task: Task) {
  const validate = new Ajv().compile(task.jsonSchema);
  const inputSchema = jsonSchema(task.jsonSchema, {
    validate: (value) =>
      validate(value) ? { success: true, value } : { success: false, error: new Error("refused") },
  });
  return tool({ description: task.description, inputSchema, execute: task.run });
}

type Model = Extract<LanguageModel, { specificationVersion: "v4" }>;

/** Keeps no prompts, unlike the SDK's own mock. */
export function scriptedModel(script: Script): Model {
  return {
    specificationVersion: "v4",
    provider: "scripted",
    modelId: "scripted",
    supportedUrls: {},
    doGenerate: async () => answer(script()),
    doStream: () => Promise.reject(new Error("not used")),
  };
}

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

function answer(reply: Reply): Awaited<ReturnType<Model["doGenerate"]>> {
  if ("text" in reply) {
    const finishReason = { unified: "stop", raw: "stop" } as const;
    return { content: [{ type: "text", text: reply.text }], finishReason, usage: USAGE, warnings: [] };
  }
  const content = reply.calls.map((call) => ({
    type: "tool-call" as const,
    toolCallId: call.id,
    toolName: call.name,
    input: call.arguments,
  }));
  return { content, finishReason: { unified: "tool-calls", raw: "tool_calls" }, usage: USAGE, warnings: [] };
}
