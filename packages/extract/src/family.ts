import type { Input, Reading } from "./input.ts";
import type { ToolIndex } from "./tool-index.ts";

/** One way in which models write tool calls as text. */
export interface ExtractFamily {
  /** The name a caller pins the family by. */
  readonly name: string;
  /** Which models or runtimes write it. */
  readonly title: string;
  /** What a call looks like, for people. */
  readonly example: string;
  readonly openings: readonly Opening[];
  /** Openings of other families that these models also produce. They count only when this family is pinned. */
  readonly tolerates?: readonly Opening[];
}

/** What makes a family's reader start. */
export interface Opening {
  /** The text that begins an envelope. */
  readonly literal: string;
  /**
   * Where the literal counts. `anywhere` outside quotes and code is for literals that hardly occur in prose; `prose`
   * also asks that a sentence ended or a colon stands before it; `line` is the start of a line; `message` the start of
   * the message; `fence` a code fence whose info string is the literal.
   */
  readonly at: "anywhere" | "prose" | "line" | "message" | "fence";
  /**
   * A weak opening is a guess, because the literal is common in other text. It counts only until an opening that is
   * not weak has led to a call.
   */
  readonly weak?: boolean;
  /** The opening ends a reasoning block that is never closed. */
  readonly endsReasoning?: boolean;
  readonly read: EnvelopeReader;
}

/**
 * Reads an envelope. `start` is the position after the opening's literal (for `fence`, of the fence's first line after
 * the info string), `begin` the position of the literal. Returns undefined if this is not the family's envelope. An
 * envelope that names no registered tool is still an envelope: it is returned with no calls, so that nothing inside it
 * is read as a call of its own.
 */
export type EnvelopeReader = (
  scan: ScanContext,
  start: number,
  begin: number,
) => Reading<Envelope | undefined>;

export interface ScanContext {
  readonly input: Input;
  readonly tools: ToolIndex;
}

export interface Envelope {
  readonly calls: readonly EnvelopeCall[];
  /** The position after the envelope. */
  readonly end: number;
  /** The envelope shows that the rest of the text is not the model calling tools. */
  readonly stops?: boolean;
  /** The message carries data, so that what looks like a call but has no envelope of its own is data as well. */
  readonly data?: boolean;
}

/** One call of an envelope that holds several; undefined if its tool is not registered. */
export interface EnvelopeItem {
  readonly call: EnvelopeCall | undefined;
  readonly end: number;
}

/** The calls of an envelope that was never closed: the last one may have been cut. */
export function unclosed(calls: readonly EnvelopeCall[]): EnvelopeCall[] {
  return calls.map((call, index) => (index === calls.length - 1 ? { ...call, complete: false } : call));
}

export interface EnvelopeCall {
  readonly name: string;
  readonly arguments: string;
  readonly complete: boolean;
}
