import { endOfRun, rigMiddleware, toAiSdkTools } from "@toolrig/interop/ai-sdk";
import { generateText, isStepCount, type ModelMessage, streamText, wrapLanguageModel } from "ai";
import { VENDORS } from "../../../packages/agent/test/wire/vendors.ts";
import type { Peer, Task } from "../peer.ts";
import { WIRES, type Wire } from "../vendors/tool-results.ts";

// Warnings about models that nobody has heard of.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

const GEMINI: Peer["forbids"] = {
  "cut-off arguments refused":
    "the AI SDK drops a call whose arguments break off in a stream of Gemini's: it does not run, and nobody is told of it",
  "broken arguments repaired": "Gemini gives arguments as values: there is no text that could be broken",
  "a write repeated after a crash":
    "Gemini gives calls no ids, and the AI SDK makes new ones whenever the model is asked again; from stored messages it holds",
};

/** The AI SDK with one vendor's own package of it. */
function aiSdk(wire: Wire): Peer {
  return {
    name: `ai (${wire})`,
    version: "ai 7.0.169",
    wire,
    forbids: wire === "google" ? GEMINI : {},
    approves: "peer",
    // An answer in the AI SDK's own flow is yes or no.
    edits: "inbox",
    fullOnly: wire !== "openai chat",
    run: (task) => run(wire, task),
  };
}

export const aiSdkPeers: readonly Peer[] = WIRES.map(aiSdk);

async function run(wire: Wire, { rig, origin, prompt, streams, runId, signal, onProgress, decide }: Task) {
  const tools = toAiSdkTools(rig, { progress: true, ...(runId !== undefined && { run: runId }) });
  const model = wrapLanguageModel({
    model: VENDORS[wire](origin) as Parameters<typeof wrapLanguageModel>[0]["model"],
    middleware: rigMiddleware(tools),
  });
  const stopWhen = [isStepCount(5), endOfRun(tools)];
  const messages: ModelMessage[] = [{ role: "user", content: prompt }];
  for (;;) {
    const given = {
      model,
      tools,
      stopWhen,
      messages: [...messages],
      maxRetries: 0,
      ...(signal && { abortSignal: signal }),
    };
    const { text, content, added } = streams ? await streamed(given, onProgress) : await generated(given);
    messages.push(...added);
    const asked = content.filter((part) => part.type === "tool-approval-request");
    if (asked.length === 0 || decide === undefined) return text;
    const answers = [];
    for (const { approvalId, toolCall } of asked) {
      const { approved, reason } = await decide({ name: toolCall.toolName });
      answers.push({
        type: "tool-approval-response" as const,
        approvalId,
        approved,
        ...(reason !== undefined && { reason }),
      });
    }
    messages.push({ role: "tool", content: answers });
  }
}

type Given = Parameters<typeof generateText>[0];

async function generated(given: Given) {
  const { text, content, response } = await generateText(given);
  return { text, content, added: response.messages };
}

async function streamed(given: Given, onProgress: Task["onProgress"]) {
  const result = streamText({ ...given, onError: () => {} } as Parameters<typeof streamText>[0]);
  for await (const part of result.fullStream)
    if (part.type === "tool-result" && part.preliminary === true) onProgress(JSON.stringify(part.output));
  return { text: await result.text, content: await result.content, added: (await result.response).messages };
}
