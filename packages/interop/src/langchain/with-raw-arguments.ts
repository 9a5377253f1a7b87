import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { check } from "@toolrig/core/kit";
import { isWholeEnd } from "../beneath/finish-reason.ts";
import { wrapped } from "../beneath/raw-arguments.ts";
import type { LangChainCall, LangChainChunk, LangChainMessage } from "./shape.ts";

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
  const complete = isWhole(message);
  const unheard = new Set(chunks.keys());
  /** The place of the text of a call among those that were streamed: ids repeat, and each text is of one call. */
  const placeOf = (isOf: (chunk: LangChainChunk) => boolean): number => {
    const at = chunks.findIndex((chunk, index) => unheard.has(index) && isOf(chunk));
    unheard.delete(at);
    return at;
  };
  const lost = invalid.map(({ id, name = "", args = "" }) => {
    const at = placeOf((chunk) => chunk.id === id && (chunk.args ?? "") === args);
    const call: LangChainCall = { id, name, args: {}, type: "tool_call" };
    return { at, call: heard(call, args, complete) };
  });
  const parsed = calls.map((call) => {
    const at = placeOf(({ id }) => id === call.id);
    // Where the text is not at hand, LangChain has parsed all of it.
    const text = at < 0 ? JSON.stringify(call.args) : (chunks[at]?.args ?? "");
    return { at, call: heard(call, text, complete) };
  });
  message.tool_calls = [...parsed, ...lost].sort((a, b) => a.at - b.at).map(({ call }) => call);
  message.invalid_tool_calls = [];
}

function heard(call: LangChainCall, text: string, complete: boolean): LangChainCall {
  const args = wrapped(text, complete);
  return args === undefined ? call : { ...call, args };
}

/** Where the vendors' packages keep why a response ended. */
const ENDS = ["finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason", "status"];

/** A response of which nobody says how it ended broke off. */
function isWhole(message: LangChainMessage): boolean {
  const said = endsOf(message);
  return said.length > 0 && said.every(isWholeEnd);
}

/** A message says that it was cut off. Those that say nothing may be whole: not every model is one that was wrapped. */
export function isCutOff(message: LangChainMessage | undefined): boolean {
  return message !== undefined && !endsOf(message).every(isWholeEnd);
}

function endsOf({
  response_metadata: metadata = {},
  additional_kwargs: more = {},
}: LangChainMessage): unknown[] {
  // Anthropic's and Bedrock's say it elsewhere of a response that was streamed.
  const places = [metadata, more, (metadata.messageStop ?? {}) as Record<string, unknown>];
  return places.flatMap((place) => ENDS.map((key) => place[key]).filter((reason) => reason != null));
}
