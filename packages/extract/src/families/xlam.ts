/** A list of call objects, on its own, in a code fence, or after `[TOOL_CALLS]` or `</think>`. */
import type { ExtractFamily } from "../family.ts";
import { bareObject } from "./bare-json.ts";
import { fences } from "./fenced-json.ts";
import { bareList } from "./json-array.ts";
import { mistral } from "./mistral.ts";

export const xlam: ExtractFamily = {
  name: "xlam",
  title: "xLAM",
  example: '[{"name": "search", "arguments": {"query": "x"}}]',
  openings: [],
  tolerates: [
    bareList,
    ...fences,
    ...mistral.openings,
    { literal: "{", at: "prose", weak: true, read: bareObject() },
  ],
};
