import { ArgumentBuilder } from "./argument-builder.ts";
import type { EnvelopeItem, ScanContext } from "./family.ts";
import { has, type Reading, skipSpace, startsWith, startsWithAny } from "./input.ts";
import { readJson } from "./read-json.ts";
import { readAttributes, readRawValue, withoutCdata } from "./read-tags.ts";
import type { TypingRules } from "./typed-value.ts";

export interface InvokeRules extends TypingRules {
  /** What stands between `<` or `</` and the tag's name. */
  readonly prefix: string;
  /** The name of the tag that holds a call, and of those that hold its arguments. */
  readonly invoke: string;
  readonly parameter: string;
  /** What may follow a call. */
  readonly next: readonly string[];
}

/**
 * Reads `<invoke name="N">`, `<parameter name="K">V</parameter>` items or one JSON object, `</invoke>`. A parameter's
 * `string` attribute decides where the schema does not say what the type is. Undefined if no such tag is at `start`.
 */
export function* readInvoke(
  scan: ScanContext,
  start: number,
  rules: InvokeRules,
): Reading<EnvelopeItem | undefined> {
  const { input, tools } = scan;
  const open = `<${rules.prefix}${rules.invoke}`;
  const close = `</${rules.prefix}${rules.invoke}>`;
  if (!(yield* startsWith(input, start, open))) return undefined;
  const head = yield* readAttributes(input, yield* skipFiller(scan, start + open.length));
  if (head === undefined || head === "cut") return undefined;
  const name = head.attributes.get("name");
  if (name === undefined) return undefined;
  const tool = tools.resolve(name);
  const builder = new ArgumentBuilder(tool);
  const done = (end: number, complete: boolean, text = builder.text()) => ({
    call: tool && { name: tool.name, arguments: text, complete },
    end,
  });
  if (head.selfClosing) return done(head.end, true);
  let at = yield* skipSpace(input, head.end);
  const span = yield* readJson(input, at, [close]);
  if (span !== undefined) {
    at = yield* skipSpace(input, span.end);
    const closed = yield* startsWith(input, at, close);
    const text = input.text.slice(span.start, span.end);
    return done(closed ? at + close.length : span.end, closed && span.complete, text);
  }
  for (;;) {
    at = yield* skipSpace(input, at);
    if (!(yield* has(input, at))) return done(at, false);
    if (yield* startsWith(input, at, close)) return done(at + close.length, true);
    if ((yield* startsWithAny(input, at, rules.next)) !== undefined) return done(at, true);
    const value = yield* readParameter(scan, at, builder, rules, close);
    if (value === undefined) return undefined;
    if (!value.closed) return done(value.next, false);
    at = value.next;
  }
}

function* readParameter(
  scan: ScanContext,
  start: number,
  builder: ArgumentBuilder,
  rules: InvokeRules,
  closeInvoke: string,
): Reading<{ next: number; closed: boolean } | undefined> {
  const { input } = scan;
  const open = `<${rules.prefix}${rules.parameter}`;
  if (!(yield* startsWith(input, start, open))) return undefined;
  const head = yield* readAttributes(input, yield* skipFiller(scan, start + open.length));
  if (head === "cut") return { next: input.text.length, closed: false };
  if (head === undefined) return undefined;
  const name = head.attributes.get("name");
  if (name === undefined) return undefined;
  if (head.selfClosing) {
    builder.addText(name, "", rules);
    return { next: head.end, closed: true };
  }
  const ends = [closeInvoke, ...rules.next];
  const close = `</${rules.prefix}${rules.parameter}>`;
  const value = yield* readRawValue(input, head.end, {
    close,
    next: [open, ...ends],
    open,
    ends,
    restarts: [],
  });
  if (value.closed) {
    const attribute = head.attributes.get("string");
    const untyped = attribute === undefined ? rules.untyped : attribute === "true" ? "string" : "json";
    builder.addText(name, withoutCdata(input.text.slice(head.end, value.end)), { ...rules, untyped });
  }
  return value;
}

/** Skips the mark that a tokenizer leaves in place of a space. */
function* skipFiller(scan: ScanContext, at: number): Reading<number> {
  return (yield* startsWith(scan.input, at, "Ġ")) ? at + 1 : at;
}
