import type { LanguageModelMiddleware } from "ai";

/** The AI SDK's language model specification, by the parts that are used here, as its middleware names them. */
type WrapGenerate = NonNullable<LanguageModelMiddleware["wrapGenerate"]>;
type WrapStream = NonNullable<LanguageModelMiddleware["wrapStream"]>;

export type Generated = Awaited<ReturnType<WrapGenerate>>;
export type Content = Generated["content"][number];
export type Finish = Generated["finishReason"];
export type CallPart = Extract<Content, { type: "tool-call" }>;
export type Asked = Parameters<WrapGenerate>[0]["params"];
type Stream = Awaited<ReturnType<WrapStream>>["stream"];
export type StreamPart = Stream extends ReadableStream<infer Part> ? Part : never;
export type Prompt = Asked["prompt"];
