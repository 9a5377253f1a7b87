import { type ToolDefinition, toAiSdk } from "@toolrig/core";
import { check, declareOptions, type OptionTable, option } from "@toolrig/core/kit";
import type { Engine, EngineEvent, EngineRequest } from "../model/engine.ts";
import { responseEvents, streamedEvents } from "./ai-sdk-events.ts";
import type { AiSdkModel } from "./ai-sdk-model.ts";
import { AiSdkPrompts } from "./ai-sdk-prompt.ts";
import { withOwnNames } from "./own-names.ts";

export interface AiSdkEngineOptions {
  /** False asks for whole responses. Default true. */
  streaming?: boolean;
  /** Passed on to the model: temperature, maxOutputTokens, providerOptions, headers and the like. */
  settings?: Readonly<Record<string, unknown>>;
  /** Tools that the provider runs itself, in the form its package gives them. */
  providerTools?: readonly unknown[];
  /** Whether the model is asked for JSON in the way its provider has for it. Default true. */
  jsonMode?: boolean;
}

const aiSdkEngineOptions = declareOptions("aiSdkEngine", {
  streaming: option.flag({ default: true }),
  settings: option.object("settings of the model, such as { temperature }", { aliases: ["modelSettings"] }),
  providerTools: option.listOf("a list of the provider's tools", option.anything("a tool of the provider")),
  jsonMode: option.flag({ default: true }),
} satisfies OptionTable<AiSdkEngineOptions>);

/**
 * An engine from any AI SDK language model of specification 2, 3 or 4. Arguments come through as the model wrote them,
 * and what a provider attached to its parts goes back to it. Retrying is the loop's: the model is asked once.
 *
 * @example
 * ```ts
 * import { openai } from "@ai-sdk/openai";
 * import { AgentLoop, aiSdkEngine } from "@toolrig/agent";
 *
 * const engine = aiSdkEngine(openai("gpt-5"), { settings: { maxOutputTokens: 1_000 } });
 * const { text } = await new AgentLoop({ engine }).run("Say hello.").outcome;
 * console.log(engine.name, text); //=> openai.responses:gpt-5 Hello!
 * ```
 */
export function aiSdkEngine(model: AiSdkModel, options: AiSdkEngineOptions = {}): Engine {
  checkModel(model);
  const { streaming, settings = {}, providerTools = [], jsonMode } = aiSdkEngineOptions.withDefaults(options);
  const prompts = new AiSdkPrompts(model);
  const rendered = new WeakMap<readonly ToolDefinition[], readonly unknown[]>();

  const toolsOf = (definitions: readonly ToolDefinition[]): readonly unknown[] => {
    let tools = rendered.get(definitions);
    if (tools === undefined) {
      tools = [...definitions.map(toAiSdk), ...providerTools];
      rendered.set(definitions, tools);
    }
    return tools;
  };

  const callOptions = ({ messages, system, tools, responseFormat, signal }: EngineRequest) => {
    const offered = toolsOf(tools);
    return {
      ...settings,
      prompt: prompts.of(messages, system),
      ...(offered.length > 0 && { tools: offered, toolChoice: settings.toolChoice ?? { type: "auto" } }),
      ...(responseFormat !== undefined && jsonMode && { responseFormat, ...lenient(model, settings) }),
      abortSignal: signal,
    };
  };

  return withOwnNames({
    name: `${model.provider}:${model.modelId}`,
    async *stream(request): AsyncGenerator<EngineEvent> {
      if (streaming)
        yield* streamedEvents(
          (await model.doStream(callOptions(request))).stream,
          model.provider,
          request.signal,
        );
      else yield* responseEvents(await model.doGenerate(callOptions(request)), model.provider);
    },
  });
}

/** OpenAI's strict mode refuses most schemas, such as any with an optional property. The answer is validated anyway. */
function lenient({ provider }: AiSdkModel, settings: Readonly<Record<string, unknown>>): object {
  if (!provider.startsWith("openai.")) return {};
  const given = (settings.providerOptions ?? {}) as Record<string, object>;
  return { providerOptions: { ...given, openai: { strictJsonSchema: false, ...given.openai } } };
}

function checkModel(model: AiSdkModel): void {
  if (typeof model === "string") {
    const expected = `a model, such as openai("${model}") from @ai-sdk/openai, and not its name`;
    throw check.invalid("The model of aiSdkEngine", expected, model);
  }
  const version: unknown = model?.specificationVersion;
  if (version === "v2" || version === "v3" || version === "v4") return;
  const expected = "an AI SDK language model of specification v2, v3 or v4";
  throw check.invalid("The model of aiSdkEngine", expected, version ?? model);
}
