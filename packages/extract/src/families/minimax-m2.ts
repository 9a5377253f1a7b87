/** `<minimax:tool_call>` with `<invoke name="N">` and `<parameter name="K">` V items, `</minimax:tool_call>`. */
import type { ExtractFamily } from "../family.ts";
import { bareInvoke, invokeSection } from "../invoke-section.ts";

const rules = { prefix: "", invoke: "invoke", parameter: "parameter", untyped: "string" } as const;

export const minimaxM2: ExtractFamily = {
  name: "minimax-m2",
  title: "MiniMax M2",
  example:
    '<minimax:tool_call>\n<invoke name="search">\n<parameter name="query">x</parameter>\n</invoke>\n</minimax:tool_call>',
  openings: [
    { literal: "<minimax:tool_call>", at: "anywhere", read: invokeSection("</minimax:tool_call>", rules) },
  ],
  tolerates: [{ literal: "<invoke ", at: "anywhere", read: bareInvoke(rules) }],
};
