import type { Envelope, EnvelopeReader, ScanContext } from "./family.ts";
import type { Reading } from "./input.ts";
import { type InvokeRules, readInvoke } from "./read-invoke.ts";
import { readSection, single } from "./read-section.ts";

/** Reads `<invoke>` items after a wrapper's opening tag, up to its closing tag. */
export function invokeSection(close: string, rules: Omit<InvokeRules, "next">): EnvelopeReader {
  const open = `<${rules.prefix}${rules.invoke}`;
  const invoke = { ...rules, next: [close, `${open} `] };
  return function* read(scan: ScanContext, start: number): Reading<Envelope | undefined> {
    return yield* readSection(scan, start, {
      open,
      read: (inner, at) => readInvoke(inner, at - open.length, invoke),
      close: [close],
    });
  };
}

/** Reads one `<invoke>` that has no wrapper. */
export function bareInvoke(rules: Omit<InvokeRules, "next">): EnvelopeReader {
  const invoke = { ...rules, next: [] };
  return function* read(scan: ScanContext, _start: number, begin: number): Reading<Envelope | undefined> {
    return single(yield* readInvoke(scan, begin, invoke));
  };
}
