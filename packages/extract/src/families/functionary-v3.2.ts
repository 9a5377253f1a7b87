/** (`>>>` N, a line feed, J)+, the first `>>>` being part of the prompt at times. `>>>all` begins text. */
import type { Envelope, EnvelopeCall, ExtractFamily, ScanContext } from "../family.ts";
import { find, nameEnd, type Reading, skipSpace, startsWith } from "../input.ts";
import { readJson } from "../read-json.ts";

const TEXT = "all";

/** The name that the text begins with, of a tool or of text, if it is alone on its line. Any text may be asked. */
function* readFirst({ input, tools }: ScanContext, start: number): Reading<string | undefined> {
  for (const name of [TEXT, ...tools.names]) {
    if (yield* startsWith(input, start, `${name}\n`)) return name;
  }
  return undefined;
}

function* read(scan: ScanContext, start: number, begin: number): Reading<Envelope | undefined> {
  const { input, tools } = scan;
  const calls: EnvelopeCall[] = [];
  let end = -1;
  const first = yield* readFirst(scan, start);
  if (first === undefined) return undefined;
  if (first === TEXT) return yield* readText(scan, start + first.length, begin < start);
  for (let at = start; ; ) {
    const stop = yield* nameEnd(input, at);
    const name = input.text.slice(at, stop);
    if (!(yield* startsWith(input, stop, "\n"))) break;
    const tool = tools.get(name);
    const span = yield* readJson(input, yield* skipSpace(input, stop), [">>>"]);
    if (span === undefined) break;
    const text = input.text.slice(span.start, span.end);
    if (tool !== undefined) calls.push({ name, arguments: text, complete: span.complete });
    end = span.end;
    const next = yield* skipSpace(input, end);
    if (!(yield* startsWith(input, next, ">>>"))) break;
    at = next + 3;
  }
  return end === -1 ? undefined : { calls, end };
}

/** Text for the user, in which nothing is a call. Without its marker it is recognised by the marker that follows. */
function* readText(scan: ScanContext, start: number, marked: boolean): Reading<Envelope | undefined> {
  const next = yield* find(scan.input, start, ">>>");
  if (next === -1 && !marked) return undefined;
  return { calls: [], end: next === -1 ? scan.input.text.length : next };
}

export const functionaryV32: ExtractFamily = {
  name: "functionary-v3.2",
  title: "Functionary 3.2",
  example: '>>>search\n{"query": "x"}',
  openings: [
    { literal: "", at: "message", weak: true, read },
    { literal: ">>>", at: "anywhere", weak: true, read },
  ],
};
