/** `<start_function_call>` call:N{k:v, ...} `<end_function_call>`: bare keys, strings between `<escape>` marks. */
import type { ExtractFamily } from "../family.ts";
import { markedCall } from "./gemma4.ts";

export const functiongemma: ExtractFamily = {
  name: "functiongemma",
  title: "FunctionGemma",
  example: "<start_function_call>call:search{query:<escape>x<escape>}<end_function_call>",
  openings: [
    { literal: "<start_function_call>", at: "anywhere", read: markedCall("<escape>", "<end_function_call>") },
  ],
};
