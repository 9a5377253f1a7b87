/**
 * `Action:` N and `Action Input:` J or text, up to `Observation:`. Text is the value of the only parameter of a tool
 * that has one. A `Final Answer:` after it cancels the call. Structured chat agents write
 * `{"action": N, "action_input": J}` in a code fence, after `Action:` or not.
 */
import type { Envelope, EnvelopeCall, ExtractFamily, ScanContext } from "../family.ts";
import { find, has, lineEnd, type Reading, skipSpace, startsWith } from "../input.ts";
import { plainInput } from "../json-calls.ts";
import { readJson } from "../read-json.ts";
import type { ExtractTool } from "../tool-index.ts";
import { commandR } from "./command-r.ts";
import { fences } from "./fenced-json.ts";

const NAME_LINE = /^\s*\d*\s*:[ \t]*[`"*]*([^\s`"*]+)[`"*]*\s*$/;
const INPUT_LABEL = /^\s*Action\s*\d*\s*Input\s*\d*\s*:/;

function* read(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  const { input, tools } = scan;
  let colon = yield* skipSpace(input, start);
  while ((yield* has(input, colon)) && /[\d\s]/.test(input.text.charAt(colon))) colon++;
  if (!(yield* startsWith(input, colon, ":"))) return undefined;
  const end = yield* lineEnd(input, start);
  const name = NAME_LINE.exec(input.text.slice(start, end))?.[1];
  const tool = name === undefined ? undefined : tools.get(name);
  if (tool === undefined) return undefined;
  const labelAt = yield* skipSpace(input, end);
  const labelEnd = yield* lineEnd(input, labelAt);
  const label = INPUT_LABEL.exec(input.text.slice(labelAt, labelEnd));
  if (label === null) return undefined;
  const found = yield* readInput(scan, labelAt + label[0].length, tool);
  const rest = yield* readRest(scan, found.rest);
  if (found.call === undefined || rest.cancelled) return { calls: [], end: rest.end, stops: true };
  return { calls: [found.call], end: found.end, stops: true };
}

function* readInput(
  scan: ScanContext,
  start: number,
  tool: ExtractTool,
): Reading<{ call: EnvelopeCall | undefined; end: number; rest: number }> {
  const { input } = scan;
  const at = yield* skipSpace(input, start);
  const span = yield* readJson(input, at, ["\nObservation"]);
  if (span !== undefined && input.text.charAt(at) === "{") {
    const text = input.text.slice(span.start, span.end);
    const call = { name: tool.name, arguments: text, complete: span.complete };
    return { call, end: span.end, rest: span.end };
  }
  const stop = yield* find(input, at, "\nObservation");
  const end = stop === -1 ? input.text.length : stop;
  const text = input.text.slice(at, end).trim();
  const written = text === "" ? undefined : plainInput(text.replace(/^"(.*)"$/s, "$1"), tool);
  const call = written === undefined ? undefined : { name: tool.name, arguments: written, complete: true };
  return { call, end, rest: at };
}

/** Looks through what follows for the answer that makes the action void. */
function* readRest(scan: ScanContext, start: number): Reading<{ end: number; cancelled: boolean }> {
  const { input } = scan;
  for (let at = start; yield* has(input, at); ) {
    const line = yield* find(input, at, "\n");
    if (line === -1) break;
    if (yield* startsWith(input, line + 1, "Observation")) return { end: line, cancelled: false };
    if (yield* startsWith(input, line + 1, "Final Answer:"))
      return { end: input.text.length, cancelled: true };
    at = line + 1;
  }
  return { end: input.text.length, cancelled: false };
}

export const react: ExtractFamily = {
  name: "react",
  title: "ReAct prompts",
  example: 'Action: search\nAction Input: {"query": "x"}',
  openings: [{ literal: "Action", at: "line", read }],
  tolerates: [...commandR.openings, ...fences],
};
