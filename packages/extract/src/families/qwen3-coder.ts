/**
 * `<tool_call>` (`<function=N>` (`<parameter=K>` V `</parameter>`)* `</function>`)+ `</tool_call>`. The outer tags are
 * dropped at times. V is raw text, typed by the schema.
 */
import { type Envelope, type ExtractFamily, type Opening, type ScanContext, unclosed } from "../family.ts";
import { type Reading, skipSpace, startsWith } from "../input.ts";
import { readFunctionTag } from "../read-function-tag.ts";
import { readSection, single } from "../read-section.ts";

/** The openings of function tags inside a wrapper, and of function tags without one. */
export function functionTagOpenings(open: string, close: string): Opening[] {
  function* readWrapped(scan: ScanContext, start: number): Reading<Envelope | undefined> {
    const section = yield* readSection(scan, start, {
      open: "<function=",
      read: (inner, at) => readFunctionTag(inner, at, [close]),
      close: [close],
    });
    return section && { ...section, calls: section.closed ? section.calls : unclosed(section.calls) };
  }
  function* readBare(scan: ScanContext, start: number): Reading<Envelope | undefined> {
    const tag = yield* readFunctionTag(scan, start, [close]);
    if (tag === undefined || tag.form === "json") return undefined;
    const at = yield* skipSpace(scan.input, tag.end);
    const closed = yield* startsWith(scan.input, at, close);
    return single({ call: tag.call, end: closed ? at + close.length : tag.end });
  }
  return [
    { literal: open, at: "anywhere", read: readWrapped },
    { literal: "<function=", at: "anywhere", read: readBare },
  ];
}

const example =
  "<tool_call>\n<function=search>\n<parameter=query>\nx\n</parameter>\n</function>\n</tool_call>";
const openings = functionTagOpenings("<tool_call>", "</tool_call>");

export const qwen3Coder: ExtractFamily = {
  name: "qwen3-coder",
  title: "Qwen3-Coder, Qwen3.5",
  example,
  openings,
};
export const nemotron3: ExtractFamily = { name: "nemotron3", title: "Nemotron 3", example, openings };
export const step35: ExtractFamily = { name: "step3.5", title: "Step 3.5", example, openings };
