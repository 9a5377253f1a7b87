import { ArgumentBuilder } from "./argument-builder.ts";
import type { EnvelopeItem, ScanContext } from "./family.ts";
import { has, type Reading, skipSpace, startsWith, startsWithAny } from "./input.ts";
import { readJson } from "./read-json.ts";
import { readRawValue, withoutCdata } from "./read-tags.ts";

export interface FunctionTag extends EnvelopeItem {
  /** How the arguments were written. */
  readonly form: "json" | "parameters";
}

const PARAMETER = "<parameter=";

/**
 * Reads what follows `<function=`: `N>` with either a JSON object or `<parameter=K>V</parameter>` items, up to
 * `</function>`. One line feed after a parameter's opening tag and one before its closing tag are not part of V.
 */
export function* readFunctionTag(
  scan: ScanContext,
  start: number,
  wrappers: readonly string[],
): Reading<FunctionTag | undefined> {
  const { input, tools } = scan;
  const head = yield* readHead(scan, start);
  if (head === undefined || head.name === "") return undefined;
  const tool = tools.resolve(head.name);
  let at = yield* skipSpace(input, head.end);
  const ends = ["</function>", ...wrappers];
  const span = yield* readJson(input, at, ends);
  if (span !== undefined) {
    const text = input.text.slice(span.start, span.end);
    at = yield* skipSpace(input, span.end);
    const closed = yield* startsWith(input, at, "</function>");
    const call = tool && { name: tool.name, arguments: text, complete: closed && span.complete };
    return { call, end: closed ? at + "</function>".length : span.end, form: "json" };
  }
  const builder = new ArgumentBuilder(tool);
  const done = (end: number, complete: boolean): FunctionTag => ({
    call: tool && { name: tool.name, arguments: builder.text(), complete },
    end,
    form: "parameters",
  });
  let named = true;
  for (;;) {
    at = yield* skipSpace(input, at);
    if (!(yield* has(input, at))) return done(at, false);
    if (yield* startsWith(input, at, "</function>")) return done(at + "</function>".length, named);
    if ((yield* startsWithAny(input, at, wrappers)) !== undefined) return done(at, named);
    const parameter = yield* readParameter(scan, at, builder, ends);
    if (parameter === undefined) return undefined;
    if (!parameter.closed) return done(parameter.next, false);
    named &&= parameter.named;
    at = parameter.next;
  }
}

/** Reads the name up to `>`; a name whose `>` is missing ends with its line. Undefined if the text ends before that. */
function* readHead(scan: ScanContext, start: number): Reading<{ name: string; end: number } | undefined> {
  const { input } = scan;
  let at = start;
  while ((yield* has(input, at)) && !/[<>\n{]/.test(input.text.charAt(at))) at++;
  if (!(yield* has(input, at))) return undefined;
  const name = input.text
    .slice(start, at)
    .trim()
    .replace(/^["']|["']$/g, "");
  return { name, end: input.text.charAt(at) === ">" ? at + 1 : at };
}

/** Reads a parameter. One without a name is read over, and its value is lost: the call is not complete. */
function* readParameter(
  scan: ScanContext,
  at: number,
  builder: ArgumentBuilder,
  ends: readonly string[],
): Reading<{ next: number; closed: boolean; named: boolean } | undefined> {
  const { input } = scan;
  if (!(yield* startsWith(input, at, PARAMETER))) return undefined;
  const head = yield* readHead(scan, at + PARAMETER.length);
  if (head === undefined) return { next: input.text.length, closed: false, named: false };
  const named = head.name !== "";
  function* isSibling(position: number): Reading<boolean> {
    const next = yield* readHead(scan, position + PARAMETER.length);
    if (next === undefined || builder.has(next.name) || next.name === head?.name) return false;
    return builder.declares(next.name);
  }
  const value = yield* readRawValue(input, head.end, {
    close: "</parameter>",
    next: [PARAMETER, ...ends],
    open: PARAMETER,
    ends,
    restarts: ["<tool_call>", "<seed:tool_call>", "<function="],
    isSibling,
  });
  if (value.closed && named) {
    const raw = withoutLineFeeds(input.text.slice(head.end, value.end));
    builder.addText(head.name, withoutCdata(raw), { untyped: "string" });
  }
  return { next: value.next, closed: value.closed, named };
}

function withoutLineFeeds(text: string): string {
  return text.replace(/^\r?\n/, "").replace(/\r?\n$/, "");
}
