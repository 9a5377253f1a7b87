import type { Envelope, EnvelopeCall, EnvelopeReader, ScanContext } from "../family.ts";
import { type Reading, skipSpace, startsWithAny } from "../input.ts";
import { type InvokeRules, readInvoke } from "../read-invoke.ts";

/** Reads `<invoke>` items after a wrapper's opening tag, up to its closing tag. */
export function invokeSection(close: string, rules: Omit<InvokeRules, "next">): EnvelopeReader {
  const next = [close, `<${rules.prefix}${rules.invoke} `];
  return function* read(scan: ScanContext, start: number): Reading<Envelope | undefined> {
    const { input } = scan;
    const calls: EnvelopeCall[] = [];
    let end = -1;
    let at = yield* skipSpace(input, start);
    for (;;) {
      const invoke = yield* readInvoke(scan, at, { ...rules, next });
      if (invoke === undefined) break;
      if (invoke.call !== undefined) calls.push(invoke.call);
      end = invoke.end;
      at = yield* skipSpace(input, end);
    }
    if (end === -1) return undefined;
    const closed = yield* startsWithAny(input, at, [close]);
    return { calls, end: closed === undefined ? end : at + close.length };
  };
}

/** Reads one `<invoke>` that has no wrapper. */
export function bareInvoke(rules: Omit<InvokeRules, "next">): EnvelopeReader {
  return function* read(scan: ScanContext, _start: number, begin: number): Reading<Envelope | undefined> {
    const invoke = yield* readInvoke(scan, begin, { ...rules, next: [] });
    return invoke && { calls: invoke.call === undefined ? [] : [invoke.call], end: invoke.end };
  };
}
