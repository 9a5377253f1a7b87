import type { Body } from "../../../packages/agent/test/wire/format.ts";

/** The server that speaks as the vendors do is `packages/agent/test/wire/server.ts`; this reads what it was sent. */
export const WIRES = ["openai responses", "openai chat", "anthropic", "google"] as const;
export type Wire = (typeof WIRES)[number];

/** One result of a tool, as a vendor was sent it. */
export interface SentResult {
  /** Of the call; of the function where a vendor knows no ids. */
  id: string;
  text: string;
  isError: boolean;
  images: number;
}

/** The results of tools in a request, oldest first. */
export function resultsIn(wire: Wire, body: Body): SentResult[] {
  return READERS[wire](body);
}

const READERS: Readonly<Record<Wire, (body: Body) => SentResult[]>> = {
  "openai responses": ({ input }) =>
    input
      .filter(({ type }: Body) => type === "function_call_output")
      .map(({ call_id, output }: Body) => sent(call_id, output, false)),
  "openai chat": ({ messages }) =>
    messages
      .filter(({ role }: Body) => role === "tool")
      .map(({ tool_call_id, content }: Body) => sent(tool_call_id, content, false)),
  anthropic: ({ messages }) =>
    messages
      .flatMap(({ content }: Body) => (Array.isArray(content) ? content : []))
      .filter(({ type }: Body) => type === "tool_result")
      .map(({ tool_use_id, content, is_error }: Body) => sent(tool_use_id, content, is_error === true)),
  google: ({ contents }) =>
    contents
      .flatMap(({ parts }: Body) => parts)
      .filter((part: Body) => part.functionResponse !== undefined)
      .map(({ functionResponse: { id, name, response, parts = [] } }: Body) =>
        sent(id ?? name, [{ text: wordsOf(response) }, ...parts], response.error !== undefined),
      ),
};

/** Content is one text or parts; whatever is no text and no word about one counts as an image. */
function sent(id: string, content: Body, isError: boolean): SentResult {
  const parts: Body[] = typeof content === "string" ? [{ text: content }] : content;
  const isImage = (part: Body) => part.text === undefined;
  return {
    id,
    text: parts.flatMap((part) => (isImage(part) ? [] : [part.text])).join("\n"),
    isError,
    images: parts.filter(isImage).length,
  };
}

/** Gemini takes objects only: what stands in one is what was said. */
function wordsOf({ error, result, content, output, ...rest }: Body): string {
  const said = error ?? result ?? content ?? output ?? rest;
  return typeof said === "string" ? said : JSON.stringify(said);
}
