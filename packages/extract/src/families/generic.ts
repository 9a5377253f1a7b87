/** What any model may write when no template tells it how: fenced, bare and OpenAI-like JSON, tags named after tools. */
import type { ExtractFamily } from "../family.ts";
import { bareJson } from "./bare-json.ts";
import { fences } from "./fenced-json.ts";
import { jsonArray } from "./json-array.ts";
import { lmstudioToolRequest } from "./lmstudio.ts";
import { xmlTagname } from "./xml-tagname.ts";

export const generic: ExtractFamily = {
  name: "generic",
  title: "Any model: JSON or tags without a template",
  example: '{"name": "search", "arguments": {"query": "x"}}',
  openings: [],
  tolerates: [
    ...fences,
    ...lmstudioToolRequest.openings,
    ...bareJson.openings,
    ...jsonArray.openings,
    ...xmlTagname.openings,
  ],
};
