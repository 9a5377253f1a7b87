/**
 * `[N(k=literal, ...), ...]`, optionally between `<|python_start|>` and `<|python_end|>`. Without the tags, a list that
 * is the text of a Markdown link is not a call.
 */
import type { Envelope, ExtractFamily, Opening, ScanContext } from "../family.ts";
import { type Reading, skipSpace, startsWith } from "../input.ts";
import { readPythonCalls } from "../python-calls.ts";

function* readBare(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  const list = yield* readPythonCalls(scan, start, { close: ["]"] });
  if (list === undefined || list.calls.length === 0) return undefined;
  if (yield* startsWith(scan.input, list.end, "(")) return undefined;
  return list;
}

function* readTagged(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  const { input } = scan;
  const open = yield* skipSpace(input, start);
  const bracketed = yield* startsWith(input, open, "[");
  const close = "<|python_end|>";
  const list = yield* readPythonCalls(scan, bracketed ? open + 1 : open, {
    close: bracketed ? ["]"] : [close],
  });
  if (list === undefined || !bracketed) return list;
  const at = yield* skipSpace(input, list.end);
  return (yield* startsWith(input, at, close)) ? { ...list, end: at + close.length } : list;
}

const example = "[search(query='x')]";
const openings: readonly Opening[] = [
  { literal: "<|python_start|>", at: "anywhere", read: readTagged },
  { literal: "[", at: "prose", weak: true, read: readBare },
];

export const llama4Pythonic: ExtractFamily = { name: "llama4-pythonic", title: "Llama 4", example, openings };
export const pythonic: ExtractFamily = {
  name: "pythonic",
  title: "Llama 3.2, ToolACE and others",
  example,
  openings,
};
