/** `<tool_calls>` (`<tool_call>` N `<tool_sep>` (arg_key, arg_value)* `</tool_call>`)+ `</tool_calls>`, pairs as in GLM. */
import type { Envelope, ExtractFamily, ScanContext } from "../family.ts";
import type { Reading } from "../input.ts";
import { readArgumentPairs } from "../read-argument-pairs.ts";
import { readSection } from "../read-section.ts";

function* read(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  return yield* readSection(scan, start, {
    open: "<tool_call>",
    read: readArgumentPairs,
    close: ["</tool_calls>"],
  });
}

export const hunyuanV3: ExtractFamily = {
  name: "hunyuan-v3",
  title: "Hunyuan 3",
  example:
    "<tool_calls><tool_call>search<tool_sep><arg_key>query</arg_key><arg_value>x</arg_value></tool_call></tool_calls>",
  openings: [{ literal: "<tool_calls>", at: "anywhere", read }],
};
