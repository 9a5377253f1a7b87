/** A list of call objects with nothing around it: `[{"name": N, "arguments": {...}}, ...]`. */
import type { Envelope, ExtractFamily, Opening, ScanContext } from "../family.ts";
import { has, type Reading, skipSpace } from "../input.ts";
import { jsonCalls } from "../json-calls.ts";
import { readJson } from "../read-json.ts";
import { bareObject, isData } from "./bare-json.ts";
import { fences } from "./fenced-json.ts";

function* read(scan: ScanContext, start: number, begin: number): Reading<Envelope | undefined> {
  const { input, tools } = scan;
  const first = yield* skipSpace(input, start);
  if (!(yield* has(input, first)) || input.text.charAt(first) !== "{") return undefined;
  const span = yield* readJson(input, begin);
  if (span === undefined) return undefined;
  const calls = jsonCalls(input.text, span, tools, { bare: "never" }) ?? [];
  if (calls.length === 0 && !isData(input.text.slice(span.start, span.end))) return undefined;
  let end = span.end;
  while (calls.length > 0 && (yield* has(input, end)) && input.text.charAt(end) === "]") end++;
  return { calls, end, data: calls.length === 0 };
}

export const bareList: Opening = { literal: "[", at: "prose", weak: true, read };

export const jsonArray: ExtractFamily = {
  name: "json-array",
  title: "Any model: a list of call objects on its own",
  example: '[{"name": "search", "arguments": {"query": "x"}}]',
  openings: [bareList],
  tolerates: [{ literal: "{", at: "prose", weak: true, read: bareObject() }, ...fences],
};
