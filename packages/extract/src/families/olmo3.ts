/** `<function_calls>` N(k=literal, ...) per line `</function_calls>`. */
import { type Envelope, type ExtractFamily, type ScanContext, unclosed } from "../family.ts";
import type { Reading } from "../input.ts";
import { readPythonCalls } from "../python-calls.ts";

function* read(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  const list = yield* readPythonCalls(scan, start, { close: ["</function_calls>"] });
  return list && { ...list, calls: list.closed === undefined ? unclosed(list.calls) : list.calls };
}

export const olmo3: ExtractFamily = {
  name: "olmo3",
  title: "OLMo 3",
  example: "<function_calls>search(query='x')</function_calls>",
  openings: [{ literal: "<function_calls>", at: "anywhere", read }],
};
