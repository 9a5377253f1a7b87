/** `<TOOLCALL>` `[J, ...]` `</TOOLCALL>`, J being a call object. */
import type { ExtractFamily } from "../family.ts";
import { listEnvelope } from "../read-json-envelope.ts";

export const nemotronNanoV2: ExtractFamily = {
  name: "nemotron-nano-v2",
  title: "Nemotron Nano 2",
  example: '<TOOLCALL>[{"name": "search", "arguments": {"query": "x"}}]</TOOLCALL>',
  openings: [listEnvelope("<TOOLCALL>", "</TOOLCALL>")],
};
