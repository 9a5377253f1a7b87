import type { ToolDefinition } from "@toolrig/core";
import { shown } from "../beneath/shown.ts";
import { projectOpenAI } from "../schema/project.ts";
import { textTakenBack } from "./taken-back.ts";
import type { VendorFormat } from "./vendor-loop.ts";

export interface ChatTool {
  type: "function";
  function: { name: string; description: string; parameters: Record<string, unknown>; strict: boolean };
}

interface ChatCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
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

export interface ChatEvent {
  choices: {
    index?: number;
    finish_reason?: string | null | undefined;
    delta?:
      | {
          content?: string | null | undefined;
          tool_calls?: {
            index: number;
            id?: string | undefined;
            function?: { name?: string | undefined; arguments?: string | undefined } | undefined;
          }[];
        }
      | undefined;
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
    project: (definition: ToolDefinition) => projectOpenAI(definition, { strict }),

    definitions: (tools) =>
      tools.map(({ name, description, schema, strict: isStrict }) => ({
        type: "function",
        function: { name, description, parameters: { ...schema }, strict: isStrict },
      })),

    read({ choices: [choice] }) {
      const calls = ((choice?.message.tool_calls ?? []) as ChatCall[]).filter(
        ({ type }) => type === "function",
      );
      const finish = choice?.finish_reason ?? null;
      return {
        calls: calls.map(({ id, function: { name, arguments: args } }) => ({ id, name, arguments: args })),
        cut: WHOLE.has(finish) ? undefined : (finish ?? "the stream broke off"),
      };
    },

    said({ choices: [choice] }) {
      if (choice === undefined) return [];
      const { tool_calls: calls, ...rest } = choice.message;
      if (calls === undefined) return [choice.message];
      const takenBack = (calls as ChatCall[]).map((call) =>
        call.type === "function"
          ? { ...call, function: { ...call.function, arguments: textTakenBack(call.function.arguments) } }
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

async function collectChat(events: AsyncIterable<ChatEvent>): Promise<ChatResponse> {
  let content = "";
  let finish: string | null = null;
  const calls: ChatCall[] = [];
  for await (const {
    choices: [choice],
  } of events) {
    content += choice?.delta?.content ?? "";
    finish = choice?.finish_reason ?? finish;
    for (const { index, id, function: part } of choice?.delta?.tool_calls ?? []) {
      calls[index] ??= { id: "", type: "function", function: { name: "", arguments: "" } };
      const call = calls[index];
      if (id !== undefined && id !== "") call.id = id;
      call.function.name += part?.name ?? "";
      call.function.arguments += part?.arguments ?? "";
    }
  }
  const whole = calls.filter((call) => call !== undefined);
  const message = {
    role: "assistant" as const,
    content: content === "" && whole.length > 0 ? null : content,
    ...(whole.length > 0 && { tool_calls: whole }),
  };
  return { choices: [{ finish_reason: finish, message }] };
}
