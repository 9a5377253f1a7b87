/** `<function=N>` J `</function>`. */
import type { Envelope, ExtractFamily, ScanContext } from "../family.ts";
import type { Reading } from "../input.ts";
import { readFunctionTag } from "../read-function-tag.ts";
import { single } from "../read-section.ts";

function* read(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  const tag = yield* readFunctionTag(scan, start, []);
  return tag?.form === "json" ? single(tag) : undefined;
}

export const functionaryV31: ExtractFamily = {
  name: "functionary-v3.1",
  title: "Functionary 3.1, Llama 3.1 with custom tools",
  example: '<function=search>{"query": "x"}</function>',
  openings: [{ literal: "<function=", at: "anywhere", read }],
};
