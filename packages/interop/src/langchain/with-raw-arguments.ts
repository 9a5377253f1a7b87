import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { check } from "@toolrig/core/kit";
import { wrapped } from "../beneath/raw-arguments.ts";
import type { LangChainCall, LangChainMessage } from "./shape.ts";

/** A chat model, by the methods that agents and graphs call. */
interface ChatModel {
  // biome-ignore lint/suspicious/noExplicitAny: typed by each model
  invoke(input: any, options?: any): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  bindTools?(tools: any, options?: any): any;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  withConfig?(config: any): any;
}

/**
 * A chat model that keeps the model's own argument text. LangChain leaves out calls whose text does not parse, and closes what
 * was cut off in a stream; a tool of a rig then gets the text, and repairs it or says what is wrong with it.
 */
export function withRawArguments<Model extends ChatModel>(model: Model): Model {
  check.object("model", model, "a chat model of LangChain");
  check.function("model.invoke", model.invoke);
  const hearing: Model = Object.create(model);
  const own: ChatModel = {
    async invoke(input, options) {
      const message: LangChainMessage = await model.invoke.call(hearing, input, options);
      hear(message);
      return message;
    },
  };
  // Both may make a model of their own.
  if (model.bindTools !== undefined)
    own.bindTools = (tools, options) => withRawArguments(model.bindTools?.(tools, options));
  if (model.withConfig !== undefined)
    own.withConfig = (config) => withRawArguments(model.withConfig?.(config));
  if (model instanceof BaseChatModel && streams(model))
    Object.assign(own, { _streamResponseChunks: saysHowItEnds(model) });
  return Object.assign(hearing, own);
}

function streams({ _streamResponseChunks: method }: BaseChatModel): boolean {
  return method !== BaseChatModel.prototype._streamResponseChunks;
}

/** LangChain puts a message together from its chunks, and leaves out what is said beside them of how it ended. */
function saysHowItEnds(model: BaseChatModel): BaseChatModel["_streamResponseChunks"] {
  return async function* (...args) {
    for await (const chunk of model._streamResponseChunks(...args)) {
      const reason = chunk.generationInfo?.finish_reason;
      if (typeof reason === "string") chunk.message.response_metadata.finish_reason ??= reason;
      yield chunk;
    }
  };
}

function hear(message: LangChainMessage): void {
  const { tool_calls: calls = [], invalid_tool_calls: invalid = [], tool_call_chunks: chunks = [] } = message;
  if (calls.length + invalid.length === 0) return;
  const complete = !isCutOff(message.response_metadata ?? {});
  const text = new Map<string, string>();
  for (const { id, args } of [...chunks, ...invalid]) if (id !== undefined) text.set(id, args ?? "");
  const lost = invalid.map(({ id, name = "" }): LangChainCall => ({ id, name, args: {}, type: "tool_call" }));
  // Where the text is not at hand, LangChain has parsed all of it.
  const heard = (call: LangChainCall): LangChainCall => {
    const args = wrapped(text.get(call.id ?? "") ?? JSON.stringify(call.args), complete);
    return args === undefined ? call : { ...call, args };
  };
  const order = chunks.map(({ id }) => id);
  const all = [...calls, ...lost].map(heard);
  message.tool_calls = all.sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
  message.invalid_tool_calls = [];
}

/** What the vendors' packages keep of why an answer ended. */
function isCutOff({ finish_reason, stop_reason, finishReason, status }: Record<string, unknown>): boolean {
  return (
    finish_reason === "length" ||
    stop_reason === "max_tokens" ||
    finishReason === "MAX_TOKENS" ||
    status === "incomplete"
  );
}
