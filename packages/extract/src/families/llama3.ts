/**
 * `{"name": N, "parameters": {...}}` as the whole message, several joined by `;`, optionally after `<|python_tag|>`.
 * Built-in tools are written as `<|python_tag|>N.call(k="v")`.
 */
import type { Envelope, ExtractFamily, Opening, ScanContext } from "../family.ts";
import { type Reading, skipSpace } from "../input.ts";
import { pythonArguments } from "../python-calls.ts";
import { jsonEnvelope } from "../read-json-envelope.ts";
import { readPythonCall } from "../read-python.ts";
import { bareObject } from "./bare-json.ts";

function* readBuiltin(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  const { input, tools } = scan;
  const call = yield* readPythonCall(input, yield* skipSpace(input, start));
  if (call === undefined || !call.name.endsWith(".call")) return undefined;
  const tool = tools.get(call.name.slice(0, -".call".length));
  const written = tool && pythonArguments(call, tool);
  if (tool === undefined || written === undefined) return { calls: [], end: call.end };
  return { calls: [{ name: tool.name, arguments: written, complete: call.complete }], end: call.end };
}

const pythonTag: readonly Opening[] = [
  {
    literal: "<|python_tag|>",
    at: "anywhere",
    read: jsonEnvelope({
      close: ["<|eom_id|>", "<|eot_id|>"],
      closing: "optional",
      stops: ["<|python_tag|>"],
    }),
  },
  { literal: "<|python_tag|>", at: "anywhere", read: readBuiltin },
];

export const llama3Json: ExtractFamily = {
  name: "llama3-json",
  title: "Llama 3.x",
  example: '{"name": "search", "parameters": {"query": "x"}}',
  openings: [{ literal: "{", at: "prose", weak: true, read: bareObject("parameters") }],
  tolerates: [...pythonTag, { literal: "{", at: "prose", weak: true, read: bareObject() }],
};

export const llama3PythonTag: ExtractFamily = {
  name: "llama3-python-tag",
  title: "Llama 3.x with a tag",
  example: '<|python_tag|>{"name": "search", "parameters": {"query": "x"}}',
  openings: pythonTag,
};
