/**
 * V3 and R1: `<|tool_calls_begin|>` (`<|tool_call_begin|>` function `<|tool_sep|>` N, a line feed, a `json` fence with
 * J, `<|tool_call_end|>`)+ `<|tool_calls_end|>`. V3.1: N `<|tool_sep|>` J, no fence. The bars are full-width and the
 * underscores are U+2581 in the models' own tokens; plain ones occur. The outer markers may be missing.
 */
import type { Envelope, EnvelopeCall, EnvelopeItem, ExtractFamily, Opening, ScanContext } from "../family.ts";
import { type Reading, skipSpace, startsWith, startsWithAny } from "../input.ts";
import { readJson } from "../read-json.ts";
import { skipFence } from "../read-json-envelope.ts";

const SPELLINGS = [
  ["<｜", "▁", "｜>"],
  ["<|", "▁", "|>"],
  ["<｜", "_", "｜>"],
  ["<|", "_", "|>"],
  ["<｜", " ", "｜>"],
  ["<｜", "\\_", "｜>"],
] as const;

/** A marker in all spellings. */
function marker(...words: string[]): string[] {
  return SPELLINGS.map(([open, join, close]) => open + words.join(join) + close);
}

const SECTION = marker("tool", "calls", "begin");
const SECTION_END = marker("tool", "calls", "end");
const CALL = marker("tool", "call", "begin");
const CALL_END = marker("tool", "call", "end");
const SEPARATOR = marker("tool", "sep");
const STOPS = [...CALL_END, ...SECTION_END, ...CALL];
const MAX_NAME = 200;

type Form = "fenced" | "plain";

/** Reads one call after its begin marker. */
function* readCall(
  scan: ScanContext,
  start: number,
  form: Form | undefined,
): Reading<EnvelopeItem | undefined> {
  const { input, tools } = scan;
  const left = yield* readWord(scan, start);
  const separator = yield* startsWithAny(input, left.end, SEPARATOR);
  if (separator === undefined) return undefined;
  let at = yield* skipSpace(input, left.end + separator.length);
  let name = left.text;
  if (!(yield* startsWith(input, at, "{")) && !(yield* startsWith(input, at, "```"))) {
    const right = yield* readWord(scan, at);
    name = right.text;
    at = yield* skipSpace(input, right.end);
  }
  const fence = yield* skipFence(scan, at);
  if (form !== undefined && (form === "fenced") !== fence.open) return undefined;
  const span = yield* readJson(input, fence.at, fence.open ? ["```", ...STOPS] : STOPS);
  if (span === undefined) return undefined;
  at = yield* skipSpace(input, span.end);
  if (fence.open && (yield* startsWith(input, at, "```"))) at = yield* skipSpace(input, at + 3);
  const close = yield* startsWithAny(input, at, CALL_END);
  const tool = tools.resolve(name);
  const call = tool && {
    name: tool.name,
    arguments: input.text.slice(span.start, span.end),
    complete: span.complete && close !== undefined,
  };
  return { call, end: close === undefined ? at : at + close.length };
}

function* readWord(scan: ScanContext, start: number): Reading<{ text: string; end: number }> {
  const { input } = scan;
  let at = start;
  while (at - start < MAX_NAME && (yield* startsWithAny(input, at, ["<", "\n", "{", "`"])) === undefined) {
    if (at >= input.text.length) break;
    at++;
  }
  return { text: input.text.slice(start, at).trim(), end: at };
}

function reader(form: Form | undefined, inSection: boolean) {
  return function* read(scan: ScanContext, start: number): Reading<Envelope | undefined> {
    const { input } = scan;
    const calls: EnvelopeCall[] = [];
    let end = -1;
    let at = inSection ? yield* skipSpace(input, start) : start;
    for (let first = true; ; first = false) {
      const begin = (yield* startsWithAny(input, at, CALL)) ?? (first ? "" : undefined);
      if (begin === undefined) break;
      const found = yield* readCall(scan, at + begin.length, form);
      if (found === undefined) break;
      if (found.call !== undefined) calls.push(found.call);
      end = found.end;
      at = yield* skipSpace(input, end);
    }
    if (end === -1) return undefined;
    const close = yield* startsWithAny(input, at, SECTION_END);
    return { calls, end: close === undefined ? end : at + close.length };
  };
}

function openings(form: Form | undefined): Opening[] {
  return [
    ...SECTION.map((literal) => ({ literal, at: "anywhere", read: reader(form, true) }) as const),
    ...CALL.map((literal) => ({ literal, at: "anywhere", read: reader(form, false) }) as const),
  ];
}

export const deepseekV3: ExtractFamily = {
  name: "deepseek-v3",
  title: "DeepSeek V3, R1",
  example:
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>search\n```json\n{"query": "x"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  openings: openings("fenced"),
  tolerates: openings(undefined),
};

export const deepseekV31: ExtractFamily = {
  name: "deepseek-v3.1",
  title: "DeepSeek V3.1",
  example:
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>search<｜tool▁sep｜>{"query": "x"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  openings: openings("plain"),
  tolerates: openings(undefined),
};
