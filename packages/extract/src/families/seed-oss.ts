/** Qwen3-Coder's function tags inside `<seed:tool_call>` ... `</seed:tool_call>`. */
import type { ExtractFamily } from "../family.ts";
import { functionTagOpenings } from "./qwen3-coder.ts";

export const seedOss: ExtractFamily = {
  name: "seed-oss",
  title: "Seed-OSS",
  example:
    "<seed:tool_call>\n<function=search>\n<parameter=query>x</parameter>\n</function>\n</seed:tool_call>",
  openings: functionTagOpenings("<seed:tool_call>", "</seed:tool_call>"),
};
