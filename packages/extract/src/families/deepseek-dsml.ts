/**
 * `<P function_calls>` (`<P invoke name="N">` (`<P parameter name="K" string="true|false">` V `</P parameter>`)* or J
 * `</P invoke>`)+ `</P function_calls>`, P being `｜DSML｜`. V4 says `tool_calls` instead. An invoke may be self-closing.
 */
import type { ExtractFamily, Opening } from "../family.ts";
import { bareInvoke, invokeSection } from "../invoke-section.ts";

const PREFIXES = ["｜DSML｜", "|DSML|"];

function openings(section: string): Opening[] {
  return PREFIXES.map((prefix) => ({
    literal: `<${prefix}${section}>`,
    at: "anywhere",
    read: invokeSection(`</${prefix}${section}>`, {
      prefix,
      invoke: "invoke",
      parameter: "parameter",
      untyped: "json",
    }),
  }));
}

const bare: readonly Opening[] = PREFIXES.map((prefix) => ({
  literal: `<${prefix}invoke `,
  at: "anywhere",
  read: bareInvoke({ prefix, invoke: "invoke", parameter: "parameter", untyped: "json" }),
}));

export const deepseekV32: ExtractFamily = {
  name: "deepseek-v3.2",
  title: "DeepSeek V3.2",
  example:
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="search">\n<｜DSML｜parameter name="query" string="true">x</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
  openings: [...openings("function_calls"), ...bare],
};

export const deepseekV4: ExtractFamily = {
  name: "deepseek-v4",
  title: "DeepSeek V4",
  example:
    '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="search">\n<｜DSML｜parameter name="query" string="true">x</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
  openings: openings("tool_calls"),
};
