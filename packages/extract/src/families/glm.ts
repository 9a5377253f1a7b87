/** `<tool_call>` N (`<arg_key>` K `</arg_key>` `<arg_value>` V `</arg_value>`)* `</tool_call>`. V is raw text or JSON. */
import type { Envelope, ExtractFamily, ScanContext } from "../family.ts";
import type { Reading } from "../input.ts";
import { readArgumentPairs } from "../read-argument-pairs.ts";
import { single } from "../read-section.ts";

function* read(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  return single(yield* readArgumentPairs(scan, start));
}

const example = "<tool_call>search\n<arg_key>query</arg_key>\n<arg_value>x</arg_value>\n</tool_call>";
const openings = [{ literal: "<tool_call>", at: "anywhere", read }] as const;

export const glm: ExtractFamily = { name: "glm", title: "GLM 4.5 to 4.7", example, openings };
export const ling3: ExtractFamily = { name: "ling3", title: "Ling 3", example, openings };
export const poolside: ExtractFamily = { name: "poolside", title: "Poolside", example, openings };
