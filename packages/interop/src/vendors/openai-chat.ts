import type { ToolDefinition } from "@toolrig/core";
import { shown } from "../beneath/shown.ts";
import { projectOpenAI } from "../schema/project.ts";
import { type ChatEvent, collectChat } from "./openai-chat-stream.ts";
import { textTakenBack, written } from "./taken-back.ts";
import type { VendorFormat } from "./vendor-loop.ts";

export interface ChatTool {
  type: "function";
  function: { name: string; description: string; parameters: Record<string, unknown>; strict: boolean };
}

/** Servers that speak like OpenAI leave out what it always gives. */
interface ChatCall {
  id?: string | null | undefined;
  type?: string | null | undefined;
  function?: { name?: string; arguments?: unknown } | null | undefined;
}

// A message of the vendor's own types, which hold much more.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type ChatMessage = any;

/** A chat completion, by what is read of it. Its first choice counts. */
export interface ChatResponse {
  choices: {
    finish_reason: string | null;
    message: ChatMessage;
  }[];
}

type UserPart = { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } };

/** Results are texts there: images follow in a message of the user's. */
export type ChatResult =
  | { role: "tool"; tool_call_id: string; content: string }
  | { role: "user"; content: UserPart[] };

const WHOLE: ReadonlySet<string | null> = new Set(["stop", "tool_calls", "function_call"]);

export function chatFormat(
  strict: boolean,
): VendorFormat<ChatTool, ChatResponse, ChatMessage, ChatResult, ChatEvent> {
  return {
    field: "choices",

    project: (definition: ToolDefinition) => projectOpenAI(definition, { strict }),

    definitions: (tools) =>
      tools.map(({ name, description, schema, strict: isStrict }) => ({
        type: "function",
        function: { name, description, parameters: { ...schema }, strict: isStrict },
      })),

    read(response) {
      const choice = response?.choices?.[0];
      const finish = choice?.finish_reason ?? null;
      return {
        calls: callsIn(choice?.message).map(({ id, function: { name = "", arguments: args } }) => ({
          id: id ?? undefined,
          name,
          ...written(args),
        })),
        cut: WHOLE.has(finish) ? undefined : (finish ?? "the stream broke off"),
      };
    },

    said(response) {
      const message = response?.choices?.[0]?.message;
      if (typeof message !== "object" || message === null) return [];
      const { tool_calls: calls, ...rest } = message;
      if (!Array.isArray(calls) || calls.length === 0) return [rest];
      const takenBack = calls.map((call) =>
        isFunction(call)
          ? { ...call, function: { ...call.function, arguments: textTakenBack(call.function?.arguments) } }
          : call,
      );
      return [{ ...rest, tool_calls: takenBack }];
    },

    messages(answered) {
      const results = answered.map(({ id = "", result }) => ({ id, ...shown(result) }));
      const pictures = results.flatMap(({ id, images }) =>
        images.map(({ data, mimeType }) => ({ id, url: `data:${mimeType};base64,${data}` })),
      );
      const told: ChatResult[] = results.map(({ id, text, images }) => {
        const more = images.length === 0 ? [] : [`[${images.length} image(s) follow in the next message]`];
        return {
          role: "tool",
          tool_call_id: id,
          content: [text, ...more].filter((each) => each !== "").join("\n"),
        };
      });
      if (pictures.length === 0) return told;
      const parts = pictures.flatMap(({ id, url }): UserPart[] => [
        { type: "text", text: `Image of the result of ${id}:` },
        { type: "image_url", image_url: { url } },
      ]);
      return [...told, { role: "user", content: parts }];
    },

    collect: collectChat,
  };
}

function callsIn(message: ChatMessage) {
  const calls: unknown = message?.tool_calls;
  return (Array.isArray(calls) ? calls : [])
    .filter(isFunction)
    .map((call) => ({ ...call, function: call.function ?? {} }));
}

/** Calls of other kinds are somebody else's to answer. */
function isFunction(call: unknown): call is ChatCall {
  if (typeof call !== "object" || call === null) return false;
  const { type } = call as ChatCall;
  return type === "function" || type === undefined || type === null || type === "";
}
