import { defined } from "@toolrig/core/kit";
import { shown } from "../beneath/shown.ts";
import { projectGemini } from "../schema/project.ts";
import type { VendorFormat } from "./vendor-loop.ts";

export interface GeminiTool {
  functionDeclarations: { name: string; description: string; parameters?: Record<string, unknown> }[];
}

export interface GeminiContent {
  role?: string | undefined;
  // Parts of the vendor's own types, which hold much more.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  parts?: any[] | undefined;
}

/** A response of Gemini's, by what is read of it. Its first candidate counts. */
export interface GeminiResponse {
  candidates?:
    | {
        content?: GeminiContent | undefined;
        finishReason?: string | undefined;
      }[]
    | null
    | undefined;
}

type ResultPart =
  | { functionResponse: { id?: string; name: string; response: Record<string, unknown> } }
  | { inlineData: { mimeType: string; data: string } };

export interface GeminiResult {
  role: "user";
  parts: ResultPart[];
}

export const geminiFormat: VendorFormat<
  GeminiTool,
  GeminiResponse,
  GeminiContent,
  GeminiResult,
  GeminiResponse
> = {
  field: "candidates",

  project: projectGemini,

  definitions(tools) {
    const functionDeclarations = tools.map(({ name, description, schema }) => {
      const { properties } = schema as { properties?: object };
      const takesSome = properties !== undefined && Object.keys(properties).length > 0;
      // An object without properties is refused.
      return { name, description, ...(takesSome && { parameters: { ...schema } }) };
    });
    return functionDeclarations.length === 0 ? [] : [{ functionDeclarations }];
  },

  read(response) {
    const candidate = response?.candidates?.[0];
    const calls = (candidate?.content?.parts ?? []).flatMap((part) => part?.functionCall ?? []);
    const finish = candidate?.finishReason;
    const isInParts = calls.some(({ willContinue }) => willContinue === true);
    return {
      calls: calls.map(({ id, name = "", args }) => ({ id, name, arguments: args ?? {} })),
      cut: isInParts
        ? "its arguments break off"
        : finish === "STOP"
          ? undefined
          : (finish ?? "the stream broke off"),
    };
  },

  said(response) {
    const content = response?.candidates?.[0]?.content;
    return content == null || (content.parts ?? []).length === 0 ? [] : [content];
  },

  messages(answered) {
    const parts = answered.flatMap(({ id, name, result }): ResultPart[] => {
      const { isError, text, images, structured } = shown(result);
      const told = isError ? { error: text } : { result: structured ?? text };
      const response: ResultPart = {
        functionResponse: { ...defined({ id }), name, response: told },
      };
      return [response, ...images.map(({ data, mimeType }) => ({ inlineData: { mimeType, data } }))];
    });
    // Pictures stand after all results: those must be as many as the calls, one after the other.
    const isResult = (part: ResultPart) => "functionResponse" in part;
    return [{ role: "user", parts: [...parts.filter(isResult), ...parts.filter((part) => !isResult(part))] }];
  },

  async collect(events) {
    const parts: unknown[] = [];
    let finishReason: string | undefined;
    for await (const event of events) {
      const candidate = event?.candidates?.[0];
      parts.push(...(candidate?.content?.parts ?? []));
      finishReason = candidate?.finishReason ?? finishReason;
    }
    return { candidates: [{ content: { role: "model", parts }, finishReason }] };
  },
};
