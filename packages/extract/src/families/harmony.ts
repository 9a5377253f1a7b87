/**
 * Messages in frames: (`<|start|>` role)? header `<|message|>` body (`<|end|>` | `<|call|>` | `<|return|>`). A header
 * of the assistant with `to=functions.N`, before or after `<|channel|>` C, makes the body J a call of N; any other
 * body is text, reasoning or a result, and nothing in it is a call.
 */
import type { Envelope, ExtractFamily, Opening, ScanContext } from "../family.ts";
import { find, findNear, type Reading, skipSpace, startsWithAny } from "../input.ts";
import { readJson } from "../read-json.ts";

const MESSAGE = "<|message|>";
const ENDS = ["<|end|>", "<|call|>", "<|return|>", "<|eom|>", "<|eot|>"];
const MAX_HEADER = 300;

export interface Frame {
  readonly role: string;
  readonly recipient: string | undefined;
  readonly channelled: boolean;
  /** Where the body begins. */
  readonly body: number;
}

/** Reads a header from `start`, the position after `<|start|>` or where a header without it begins. */
export function* readFrame(scan: ScanContext, start: number, role: string): Reading<Frame | undefined> {
  const { input } = scan;
  const end = yield* findNear(input, start, MESSAGE, MAX_HEADER);
  if (end === -1) return undefined;
  const header = input.text.slice(start, end);
  return {
    role: role === "" ? (/^\s*([\w.-]+)/.exec(header)?.[1] ?? "") : role,
    recipient: /(?:^|\s|>)to=([^\s<]+)/.exec(header)?.[1],
    channelled: header.includes("<|channel|>"),
    body: end + MESSAGE.length,
  };
}

/** Skips a body that is not a call. What follows a message that is not the assistant's is not its turn any more. */
export function* skipBody(scan: ScanContext, frame: Frame): Reading<Envelope> {
  const { input } = scan;
  const ends = frame.channelled ? [...ENDS, "<|start|>assistant"] : ENDS;
  let at = frame.body;
  for (;;) {
    const next = yield* find(input, at, "<|");
    if (next === -1) return { calls: [], end: input.text.length };
    const end = yield* startsWithAny(input, next, ends);
    const stops = frame.role !== "assistant" || end === "<|return|>" || end === "<|eot|>";
    if (end === "<|start|>assistant") return { calls: [], end: next };
    if (end !== undefined) return { calls: [], end: next + end.length, stops };
    at = next + 2;
  }
}

function reader(kind: "start" | "header") {
  return function* read(scan: ScanContext, start: number, begin: number): Reading<Envelope | undefined> {
    const { input, tools } = scan;
    const frame = yield* readFrame(
      scan,
      kind === "start" ? start : begin,
      kind === "start" ? "" : "assistant",
    );
    if (frame === undefined) return undefined;
    const tool = frame.recipient === undefined ? undefined : tools.resolve(frame.recipient);
    if (tool === undefined || frame.role !== "assistant") return yield* skipBody(scan, frame);
    const span = yield* readJson(input, yield* skipSpace(input, frame.body), ENDS);
    if (span === undefined) return yield* skipBody(scan, frame);
    const call = {
      name: tool.name,
      arguments: input.text.slice(span.start, span.end),
      complete: span.complete,
    };
    const at = yield* skipSpace(input, span.end);
    const end = yield* startsWithAny(input, at, ENDS);
    return { calls: [call], end: end === undefined ? span.end : at + end.length };
  };
}

const openings: readonly Opening[] = [
  { literal: "<|start|>", at: "anywhere", read: reader("start") },
  { literal: "<|channel|>", at: "anywhere", read: reader("header") },
  { literal: "to=", at: "message", read: reader("header") },
];

export const gptOss: ExtractFamily = {
  name: "gpt-oss",
  title: "gpt-oss",
  example: '<|channel|>commentary to=functions.search <|constrain|>json<|message|>{"query": "x"}<|call|>',
  openings,
};
