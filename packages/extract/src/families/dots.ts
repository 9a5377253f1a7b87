/** `<dots_function_call>` with `<invoke name="N">` items or a call object, `</dots_function_call>`. */
import type { ExtractFamily } from "../family.ts";
import { invokeSection } from "../invoke-section.ts";
import { jsonEnvelope } from "../read-json-envelope.ts";

const OPEN = "<dots_function_call>";
const CLOSE = "</dots_function_call>";

export const dots: ExtractFamily = {
  name: "dots",
  title: "dots.llm",
  example:
    '<dots_function_call><invoke name="search"><parameter name="query">x</parameter></invoke></dots_function_call>',
  openings: [
    {
      literal: OPEN,
      at: "anywhere",
      read: invokeSection(CLOSE, { prefix: "", invoke: "invoke", parameter: "parameter", untyped: "json" }),
    },
    {
      literal: OPEN,
      at: "anywhere",
      read: jsonEnvelope({ close: [CLOSE], closing: "required", stops: [OPEN] }),
    },
  ],
};
