/**
 * A call object with nothing around it: `{"name": N, "arguments": {...}}`, several of them separated by space, commas
 * or semicolons. An object that is well-formed JSON but no call is data, and so are the objects that follow it.
 */
import type { Envelope, EnvelopeCall, EnvelopeReader, ExtractFamily, ScanContext } from "../family.ts";
import { has, type Reading, skipSpace } from "../input.ts";
import { jsonCalls } from "../json-calls.ts";
import { jsonMembers, readJson } from "../read-json.ts";
import { fences } from "./fenced-json.ts";

/** Reads call objects from `begin`. With `key`, only if the first of them gives its arguments under that key. */
export function bareObject(key?: string): EnvelopeReader {
  return function* read(scan: ScanContext, _start: number, begin: number): Reading<Envelope | undefined> {
    const { input, tools } = scan;
    const calls: EnvelopeCall[] = [];
    let end = begin;
    for (let at = begin; ; ) {
      const span = yield* readJson(input, at);
      if (span === undefined) break;
      if (
        at === begin &&
        key !== undefined &&
        !jsonMembers(input.text, span).some((member) => member.key === key)
      ) {
        return undefined;
      }
      const found = jsonCalls(input.text, span, tools, { bare: "never" });
      if (found === undefined || found.length === 0) {
        if (at > begin) break;
        return isData(input.text.slice(span.start, span.end))
          ? { calls, end: span.end, data: true }
          : undefined;
      }
      calls.push(...found);
      end = span.end;
      at = yield* skipSeparators(scan, end);
    }
    return calls.length === 0 ? undefined : { calls, end };
  };
}

/** Whether the text is well-formed JSON with an object in it, as opposed to brackets in prose. */
export function isData(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof (Array.isArray(value) ? value[0] : value) === "object";
  } catch {
    return false;
  }
}

function* skipSeparators(scan: ScanContext, start: number): Reading<number> {
  const { input } = scan;
  let at = yield* skipSpace(input, start);
  while ((yield* has(input, at)) && /[,;}\]]/.test(input.text.charAt(at)))
    at = yield* skipSpace(input, at + 1);
  return at;
}

export const bareJson: ExtractFamily = {
  name: "bare-json",
  title: "Any model: a call object on its own",
  example: '{"name": "search", "arguments": {"query": "x"}}',
  openings: [{ literal: "{", at: "prose", weak: true, read: bareObject() }],
  tolerates: fences,
};
