/**
 * `<function_calls>` (`<invoke name="N">` (`<parameter name="K">` V `</parameter>`)* `</invoke>`)+ `</function_calls>`,
 * with or without a namespace prefix and the wrapper. The older form is `<invoke>` `<tool_name>` N `</tool_name>`
 * `<parameters>` (`<K>` V `</K>`)* `</parameters>` `</invoke>`.
 */
import { ArgumentBuilder } from "../argument-builder.ts";
import type { Envelope, EnvelopeItem, ExtractFamily, Opening, ScanContext } from "../family.ts";
import { find, nameEnd, type Reading, skipSpace, startsWith } from "../input.ts";
import { bareInvoke, invokeSection } from "../invoke-section.ts";
import { readSection } from "../read-section.ts";
import { readRawValue } from "../read-tags.ts";

const NAMESPACES = ["", "antml:", "atem:"];
const WRAPPERS = ["function_calls", "tool_calls", "tool_use"];

function* readLegacy(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  return yield* readSection(scan, start, {
    open: "<invoke>",
    read: readLegacyInvoke,
    close: ["</function_calls>"],
  });
}

function* readLegacyInvoke(scan: ScanContext, start: number): Reading<EnvelopeItem | undefined> {
  const { input, tools } = scan;
  let at = yield* skipSpace(input, start);
  if (!(yield* startsWith(input, at, "<tool_name>"))) return undefined;
  const nameClose = yield* find(input, at, "</tool_name>");
  if (nameClose === -1) return undefined;
  const tool = tools.resolve(input.text.slice(at + "<tool_name>".length, nameClose).trim());
  const builder = new ArgumentBuilder(tool);
  const done = (end: number, complete: boolean) => ({
    call: tool && { name: tool.name, arguments: builder.text(), complete },
    end,
  });
  at = yield* skipSpace(input, nameClose + "</tool_name>".length);
  if (yield* startsWith(input, at, "<parameters>")) at += "<parameters>".length;
  for (;;) {
    at = yield* skipSpace(input, at);
    if (yield* startsWith(input, at, "</parameters>"))
      at = yield* skipSpace(input, at + "</parameters>".length);
    if (yield* startsWith(input, at, "</invoke>")) return done(at + "</invoke>".length, true);
    if (!(yield* startsWith(input, at, "<"))) return done(at, false);
    const keyEnd = yield* nameEnd(input, at + 1);
    const key = input.text.slice(at + 1, keyEnd);
    if (key === "" || !(yield* startsWith(input, keyEnd, ">"))) return done(at, false);
    const ends = ["</parameters>", "</invoke>"];
    const rules = { close: `</${key}>`, next: ["<"], open: `<${key}>`, ends, restarts: [] };
    const value = yield* readRawValue(input, keyEnd + 1, rules);
    if (!value.closed) return done(value.next, false);
    builder.addText(key, input.text.slice(keyEnd + 1, value.end), { untyped: "string" });
    at = value.next;
  }
}

const openings: Opening[] = [];
for (const prefix of NAMESPACES) {
  const rules = { prefix, invoke: "invoke", parameter: "parameter", untyped: "json" } as const;
  for (const wrapper of WRAPPERS) {
    const read = invokeSection(`</${prefix}${wrapper}>`, rules);
    openings.push({ literal: `<${prefix}${wrapper}>`, at: "anywhere", read });
  }
  openings.push({ literal: `<${prefix}invoke `, at: "anywhere", read: bareInvoke(rules) });
}
openings.push({ literal: "<function_calls>", at: "anywhere", read: readLegacy });

export const anthropicInvoke: ExtractFamily = {
  name: "anthropic-invoke",
  title: "Claude-style prompts",
  example:
    '<function_calls>\n<invoke name="search">\n<parameter name="query">x</parameter>\n</invoke>\n</function_calls>',
  openings,
};
