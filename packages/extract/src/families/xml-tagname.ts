/**
 * `<N>` (`<K>` V `</K>`)* `</N>`: a tag named after a registered tool, with tags for declared parameters only and for
 * all that are required.
 */
import { ArgumentBuilder } from "../argument-builder.ts";
import type { Envelope, ExtractFamily, ScanContext } from "../family.ts";
import { nameEnd, type Reading, skipSpace, startsWith } from "../input.ts";
import { readRawValue, withoutCdata } from "../read-tags.ts";
import { requiredNames } from "../tool-index.ts";

function* read(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  const { input, tools } = scan;
  const end = yield* nameEnd(input, start);
  const name = input.text.slice(start, end);
  const tool = tools.get(name);
  if (tool === undefined || !(yield* startsWith(input, end, ">"))) return undefined;
  const close = `</${name}>`;
  const builder = new ArgumentBuilder(tool);
  let at = end + 1;
  for (;;) {
    at = yield* skipSpace(input, at);
    if (yield* startsWith(input, at, close)) {
      if (requiredNames(tool).some((required) => !builder.has(required))) return undefined;
      const call = { name, arguments: builder.text(), complete: true };
      return { calls: [call], end: at + close.length };
    }
    if (!(yield* startsWith(input, at, "<"))) return undefined;
    const keyEnd = yield* nameEnd(input, at + 1);
    const key = input.text.slice(at + 1, keyEnd);
    if (key === "" || !(yield* startsWith(input, keyEnd, ">"))) return undefined;
    if (tool.inputSchema !== undefined && !builder.declares(key)) return undefined;
    const value = yield* readRawValue(input, keyEnd + 1, {
      close: `</${key}>`,
      next: ["<"],
      open: `<${key}>`,
      ends: [close],
      restarts: [],
    });
    if (!value.closed) return undefined;
    builder.addText(key, withoutCdata(input.text.slice(keyEnd + 1, value.end)), { untyped: "string" });
    at = value.next;
  }
}

export const xmlTagname: ExtractFamily = {
  name: "xml-tagname",
  title: "Cline, Roo Code and others' prompts",
  example: "<search>\n<query>x</query>\n</search>",
  openings: [{ literal: "<", at: "prose", weak: true, read }],
};
