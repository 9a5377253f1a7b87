/**
 * Frames as in harmony: `<|start|>assistant to=R<|message|>` body (`<|eom|>` | `<|eot|>`). Only in a frame to R, which
 * is neither `user` nor `self`, is a body of namespaced `<ns:function_calls>` with `<ns:invoke name="N">` a call.
 */
import type { Envelope, ExtractFamily, Opening, ScanContext } from "../family.ts";
import { type Reading, skipSpace, startsWith, startsWithAny } from "../input.ts";
import { invokeSection } from "../invoke-section.ts";
import { readFrame, skipBody } from "./harmony.ts";

const NAMESPACES = ["atem:", ""];

function reader(kind: "start" | "header") {
  return function* read(scan: ScanContext, start: number, begin: number): Reading<Envelope | undefined> {
    const { input } = scan;
    const frame = yield* readFrame(
      scan,
      kind === "start" ? start : begin,
      kind === "start" ? "" : "assistant",
    );
    if (frame === undefined || frame.channelled) return undefined;
    if (
      frame.role === "assistant" &&
      frame.recipient !== undefined &&
      !/^(?:user|self)$/.test(frame.recipient)
    ) {
      const at = yield* skipSpace(input, frame.body);
      for (const prefix of NAMESPACES) {
        const open = `<${prefix}function_calls>`;
        if (!(yield* startsWith(input, at, open))) continue;
        const section = invokeSection(`</${prefix}function_calls>`, {
          prefix,
          invoke: "invoke",
          parameter: "parameter",
          untyped: "json",
        });
        const found = yield* section(scan, at + open.length, at);
        if (found === undefined) continue;
        const end = yield* startsWithAny(input, found.end, ["<|eom|>", "<|eot|>"]);
        return end === undefined ? found : { ...found, end: found.end + end.length };
      }
      return undefined;
    }
    return yield* skipBody(scan, frame);
  };
}

const openings: readonly Opening[] = [
  { literal: "<|start|>", at: "anywhere", read: reader("start") },
  { literal: "to=", at: "message", read: reader("header") },
];

export const museGlimmer: ExtractFamily = {
  name: "muse-glimmer",
  title: "Muse Glimmer",
  example:
    '<|start|>assistant to=search<|message|><atem:function_calls>\n<atem:invoke name="search">\n<atem:parameter name="query">x</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eom|>',
  openings,
};
