import type { Envelope, EnvelopeCall, EnvelopeItem, ScanContext } from "./family.ts";
import { type Reading, skipSpace, startsWith, startsWithAny } from "./input.ts";

export interface SectionRules {
  /** What begins an item. */
  readonly open: string;
  /** Reads an item; `start` is the position after `open`. */
  readonly read: (scan: ScanContext, start: number) => Reading<EnvelopeItem | undefined>;
  /** What ends the section. */
  readonly close: readonly string[];
}

export interface Section extends Envelope {
  readonly closed: boolean;
}

/** Reads items, white space between them, up to the end of the section. Undefined if there is not one of them. */
export function* readSection(
  scan: ScanContext,
  start: number,
  rules: SectionRules,
): Reading<Section | undefined> {
  const { input } = scan;
  const calls: EnvelopeCall[] = [];
  let end = -1;
  let at = yield* skipSpace(input, start);
  while (yield* startsWith(input, at, rules.open)) {
    const item = yield* rules.read(scan, at + rules.open.length);
    if (item === undefined) break;
    if (item.call !== undefined) calls.push(item.call);
    end = item.end;
    at = yield* skipSpace(input, end);
  }
  if (end === -1) return undefined;
  const close = yield* startsWithAny(input, at, rules.close);
  if (close === undefined) return { calls, end, closed: false };
  return { calls, end: at + close.length, closed: true };
}

/** An envelope of one item. */
export function single(item: EnvelopeItem | undefined): Envelope | undefined {
  return item && { calls: item.call === undefined ? [] : [item.call], end: item.end };
}
