/** `<function name="N">` (`<param name="K">` V `</param>`)* `</function>`. V may be a CDATA section. */
import type { ExtractFamily } from "../family.ts";
import { bareInvoke } from "./invoke-section.ts";

const read = bareInvoke({ prefix: "", invoke: "function", parameter: "param", untyped: "json" });

export const minicpm5: ExtractFamily = {
  name: "minicpm5",
  title: "MiniCPM 5",
  example: '<function name="search"><param name="query">x</param></function>',
  openings: ["<function name=", "<functionĠname="].map((literal) => ({ literal, at: "anywhere", read })),
};
