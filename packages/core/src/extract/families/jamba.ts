/** `<tool_calls>` `[J, ...]` `</tool_calls>`, J being a call object. */
import type { ExtractFamily, Opening, ScanContext } from "../family.ts";
import { type Reading, skipSpace, startsWith } from "../input.ts";
import { jsonEnvelope } from "../read-json-envelope.ts";

/** Call objects between two tags. With `first`, only if the payload begins with that bracket. */
export function listEnvelope(open: string, close: string, first?: "[" | "{"): Opening {
  const read = jsonEnvelope({ close: [close], closing: "required", stops: [open] });
  if (first === undefined) return { literal: open, at: "anywhere", read };
  return {
    literal: open,
    at: "anywhere",
    *read(scan: ScanContext, start: number, begin: number): Reading<ReturnType<typeof read> extends Reading<infer T> ? T : never> {
      const at = yield* skipSpace(scan.input, start);
      return (yield* startsWith(scan.input, at, first)) ? yield* read(scan, start, begin) : undefined;
    },
  };
}

const example = '<tool_calls>[{"name": "search", "arguments": {"query": "x"}}]</tool_calls>';
const openings = [listEnvelope("<tool_calls>", "</tool_calls>", "[")];
const tolerates = [listEnvelope("<tool_calls>", "</tool_calls>")];

export const jamba: ExtractFamily = { name: "jamba", title: "Jamba", example, openings, tolerates };
export const hunyuanA13b: ExtractFamily = { name: "hunyuan-a13b", title: "Hunyuan A13B", example, openings, tolerates };
export const apriel: ExtractFamily = { name: "apriel", title: "Apriel", example, openings, tolerates };

export const assistantToolCalls: ExtractFamily = {
  name: "assistant-tool-calls",
  title: "Prompts that name the tag after the message role",
  example: '<assistant_tool_calls>[{"name": "search", "arguments": {"query": "x"}}]</assistant_tool_calls>',
  openings: [listEnvelope("<assistant_tool_calls>", "</assistant_tool_calls>")],
};

export const nemotronNanoV2: ExtractFamily = {
  name: "nemotron-nano-v2",
  title: "Nemotron Nano 2",
  example: '<TOOLCALL>[{"name": "search", "arguments": {"query": "x"}}]</TOOLCALL>',
  openings: [listEnvelope("<TOOLCALL>", "</TOOLCALL>")],
};

export const longcat: ExtractFamily = {
  name: "longcat",
  title: "LongCat Flash",
  example: '<longcat_tool_call>{"name": "search", "arguments": {"query": "x"}}</longcat_tool_call>',
  openings: [listEnvelope("<longcat_tool_call>", "</longcat_tool_call>")],
};
