/** `<function_calls>` N(k=literal, ...) per line `</function_calls>`. */
import type { Envelope, ExtractFamily, ScanContext } from "../family.ts";
import type { Reading } from "../input.ts";
import { readPythonCalls } from "../python-calls.ts";

function* read(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  const list = yield* readPythonCalls(scan, start, { close: ["</function_calls>"] });
  if (list === undefined || list.closed !== undefined) return list;
  const last = list.calls.at(-1);
  return last === undefined ? list : { ...list, calls: [...list.calls.slice(0, -1), { ...last, complete: false }] };
}

export const olmo3: ExtractFamily = {
  name: "olmo3",
  title: "OLMo 3",
  example: "<function_calls>search(query='x')</function_calls>",
  openings: [{ literal: "<function_calls>", at: "anywhere", read }],
};
