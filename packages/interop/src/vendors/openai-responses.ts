import type { ToolDefinition } from "@toolrig/core";
import { shown } from "../beneath/shown.ts";
import { projectOpenAI } from "../schema/project.ts";
import { textTakenBack, written } from "./taken-back.ts";
import type { VendorFormat } from "./vendor-loop.ts";

export interface ResponsesTool {
  type: "function";
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  strict: boolean;
}

// The items are those of the vendor's own types, which hold much more.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type ResponsesItem = any;

/** A response of OpenAI's Responses API, by what is read of it. */
export interface ResponsesResponse {
  output: ResponsesItem[];
  status?: string | null | undefined;
  incomplete_details?: { reason?: string | undefined } | null | undefined;
}

export interface ResponsesEvent {
  type: string;
  response?: unknown;
  item?: unknown;
}

type OutputPart =
  | { type: "input_text"; text: string }
  | { type: "input_image"; image_url: string; detail: "auto" };

export interface ResponsesResult {
  type: "function_call_output";
  call_id: string;
  output: string | OutputPart[];
}

export function responsesFormat(
  strict: boolean,
): VendorFormat<ResponsesTool, ResponsesResponse, ResponsesItem, ResponsesResult, ResponsesEvent> {
  return {
    field: "output",

    project: (definition: ToolDefinition) => projectOpenAI(definition, { strict }),

    definitions: (tools) =>
      tools.map(({ name, description, schema, strict: isStrict }) => ({
        type: "function",
        name,
        description,
        parameters: { ...schema },
        strict: isStrict,
      })),

    read(response) {
      const calls = itemsOf(response).filter(isCall);
      const { status, incomplete_details: why } = response ?? {};
      const cutItem = calls.find((item) => item.status != null && item.status !== "completed");
      return {
        calls: calls.map(({ call_id: id, name = "", arguments: args }) => ({ id, name, ...written(args) })),
        cut: status === "completed" || status == null ? cutItem?.status : (why?.reason ?? status),
      };
    },

    said: (response) =>
      itemsOf(response).map((item) =>
        isCall(item) ? { ...item, arguments: textTakenBack(item.arguments) } : item,
      ),

    messages: (answered) =>
      answered.map(({ id = "", result }) => {
        const { text, images } = shown(result);
        if (images.length === 0) return { type: "function_call_output", call_id: id, output: text };
        const parts: OutputPart[] = text === "" ? [] : [{ type: "input_text", text }];
        for (const { data, mimeType } of images)
          parts.push({ type: "input_image", image_url: `data:${mimeType};base64,${data}`, detail: "auto" });
        return { type: "function_call_output", call_id: id, output: parts };
      }),

    async collect(events) {
      const output: unknown[] = [];
      for await (const { type, response, item } of events) {
        if (type === "response.output_item.done") output.push(item);
        if (type === "response.completed" || type === "response.incomplete" || type === "response.failed")
          return response as ResponsesResponse;
      }
      return { output, status: "incomplete", incomplete_details: { reason: "the stream broke off" } };
    },
  };
}

function itemsOf(response: ResponsesResponse | null | undefined): ResponsesItem[] {
  return Array.isArray(response?.output) ? response.output : [];
}

function isCall(item: ResponsesItem): boolean {
  return item?.type === "function_call";
}
