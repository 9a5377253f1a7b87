/**
 * `<|open|>tools<|sep|>` (`<|open|>call tool="N" index="i"<|sep|>` (`<|open|>argument key="K" type="T"<|sep|>` V
 * `<|close|>argument<|sep|>`)* `<|close|>call<|sep|>`)+ `<|close|>tools<|sep|>`. Attribute values are entity-escaped;
 * T says how to read V.
 */
import { ArgumentBuilder } from "../argument-builder.ts";
import type { Envelope, EnvelopeItem, ExtractFamily, ScanContext } from "../family.ts";
import { type Reading, skipSpace, startsWith } from "../input.ts";
import { readSection } from "../read-section.ts";
import { readAttributes, readRawValue } from "../read-tags.ts";

const SEPARATOR = "<|sep|>";
const CALL = "<|open|>call";
const CALL_END = "<|close|>call<|sep|>";
const ARGUMENT = "<|open|>argument";
const ARGUMENT_END = "<|close|>argument<|sep|>";
const TOOLS_END = "<|close|>tools<|sep|>";

function* readCall(scan: ScanContext, start: number): Reading<EnvelopeItem | undefined> {
  const { input, tools } = scan;
  const head = yield* readAttributes(input, start, SEPARATOR);
  if (head === undefined || head === "cut") return undefined;
  const name = head.attributes.get("tool");
  if (name === undefined) return undefined;
  const tool = tools.resolve(name);
  const builder = new ArgumentBuilder(tool);
  const done = (end: number, complete: boolean) => ({
    call: tool && { name: tool.name, arguments: builder.text(), complete },
    end,
  });
  let at = yield* skipSpace(input, head.end);
  while (yield* startsWith(input, at, ARGUMENT)) {
    const argument = yield* readAttributes(input, at + ARGUMENT.length, SEPARATOR);
    if (argument === "cut") return done(input.text.length, false);
    const key = argument?.attributes.get("key");
    if (argument === undefined || key === undefined) return undefined;
    const value = yield* readRawValue(input, argument.end, {
      close: ARGUMENT_END,
      next: [ARGUMENT, CALL_END],
      open: ARGUMENT,
      ends: [CALL_END, TOOLS_END],
      restarts: [CALL],
    });
    if (!value.closed) return done(value.next, false);
    const raw = input.text.slice(argument.end, value.end);
    if (argument.attributes.get("type") === "string") builder.addJson(key, JSON.stringify(raw));
    else builder.addText(key, raw, { untyped: "json" });
    at = yield* skipSpace(input, value.next);
  }
  const closed = yield* startsWith(input, at, CALL_END);
  return done(closed ? at + CALL_END.length : at, closed);
}

function* read(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  return yield* readSection(scan, start, { open: CALL, read: readCall, close: [TOOLS_END] });
}

export const kimiK3: ExtractFamily = {
  name: "kimi-k3",
  title: "Kimi K3",
  example:
    '<|open|>tools<|sep|><|open|>call tool="search" index="1"<|sep|><|open|>argument key="query" type="string"<|sep|>x<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
  openings: [{ literal: "<|open|>tools<|sep|>", at: "anywhere", read }],
};
