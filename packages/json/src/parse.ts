import type { Repair } from "./repair.ts";
import { run } from "./run.ts";
import { schemaHint } from "./schema-hint.ts";
import { COLON, DONE, ParserState, VALUE } from "./state.ts";

export interface ParseOptions {
  /** JSON Schema of the value; decides ties. */
  schema?: unknown;
  /** Deepest nesting before a `LimitError`. Default 1,000. */
  maxDepth?: number;
  /** Texts that end an unfinished value where they occur outside its strings, such as a closing tag. */
  stops?: readonly string[];
}

export interface ParsedValue {
  /** The value, or undefined when none begins at the start. */
  value: unknown;
  /** Offset just after the value. */
  end: number;
  /** False when the text, or a stop, came before the value's end. */
  complete: boolean;
  repairs: Repair[];
}

/**
 * Parses one tolerant JSON value that begins at `start`, after white space. Looks at nothing before it and leaves
 * alone what follows it; a closing tag inside a string is content. Linear in the length of the text, without
 * recursion. Throws nothing but a `LimitError`.
 */
export function parseAt(text: string, start: number, options: ParseOptions = {}): ParsedValue {
  const state = new ParserState(text, start, {
    maxDepth: options.maxDepth,
    hint: schemaHint(options.schema),
    stops: options.stops,
  });
  const complete = run(state) && !state.cut;
  if (!complete) closeAll(state);
  return { value: state.root, end: state.pos, complete, repairs: state.repairs.toArray(state.pos) };
}

/** Ends a value whose text ended too early: what is open is closed, a key without a value is dropped. */
export function closeAll(s: ParserState): void {
  s.cut = true;
  if (s.expect === DONE) return;
  const top = s.top;
  if (top?.object !== undefined && (s.expect === COLON || s.expect === VALUE)) {
    s.report("truncated", s.pos, top.key, "");
  } else if (s.comma >= 0) {
    s.report("trailing-comma", s.comma - s.base, ",", "");
  }
  let closers = "";
  while (s.top !== undefined) {
    closers += s.top.array === undefined ? "}" : "]";
    s.closeFrame();
  }
  if (closers !== "") s.report("unclosed", s.end, "", closers);
}
