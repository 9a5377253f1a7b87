import { validation } from "@toolrig/core";
import { messageOf } from "@toolrig/core/kit";
import { RE2JS } from "re2js";

/** What is looked for in a line. */
export interface Pattern {
  /** In RE2's syntax. */
  readonly source: string;
  /** The text is looked for as it is. */
  readonly fixed: boolean;
  readonly ignoreCase: boolean;
  /** False when it is in no line of a text, which is found out faster for the whole than for each line. */
  mayOccur(text: Buffer): boolean;
  /** Undefined for a line that is too long to tell in the time that one line may take. */
  test(line: string): boolean | undefined;
}

const MAX_SOURCE = 1_000;
/** Instructions times characters: about a quarter of a second where everything goes badly. */
const MAX_WORK = 20_000_000;

/** Throws a failure for an expression that RE2 does not know: look-around and back-references cannot be run in linear time. */
export function compilePattern(
  source: string,
  { fixed, ignoreCase }: { fixed: boolean; ignoreCase: boolean },
): Pattern {
  if (source === "") throw validation("pattern is empty, which is in every line.");
  if (source.length > MAX_SOURCE) throw validation(`pattern is longer than ${MAX_SOURCE} characters.`);
  if (source.includes("\n") || (!fixed && asksForLineEnd(source)))
    throw validation(
      "pattern asks for the end of a line, and lines are matched one by one: search for a part of it that is in one line.",
    );
  const flags = ignoreCase ? RE2JS.CASE_INSENSITIVE : 0;
  const expression = fixed ? RE2JS.quote(source) : source;
  const compiled = compile(expression, flags);
  const isPlain = !ignoreCase && (fixed || !/[^\w ]/.test(source));
  // What says where a text begins or ends means another place in a line than in the whole.
  const inWhole = /\\[Az]|\(\?[a-zA-Z-]*m/.test(source)
    ? undefined
    : compile(expression, flags | RE2JS.MULTILINE);
  const longest = Math.floor(MAX_WORK / Math.max(1, compiled.programSize()));
  return {
    source,
    fixed,
    ignoreCase,
    mayOccur(text) {
      if (isPlain) return text.includes(source);
      if (inWhole === undefined || text.length > longest || text.includes(13)) return true;
      return inWhole.test(text.toString().replace(/^\ufeff/, ""));
    },
    test: (line) => (line.length > longest ? undefined : compiled.test(line)),
  };
}

/** Whether an expression has `\\n` outside of a set of characters: in no line is one. */
function asksForLineEnd(source: string): boolean {
  return /^(?:[^\\[]|\\[^n]|\[\^?\]?(?:[^\]\\]|\\.)*\])*\\n/s.test(source);
}

function compile(source: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(source, flags);
  } catch (error) {
    throw validation(
      `pattern is no regular expression in RE2's syntax, which has no look-around and no back-references: ${messageOf(error)}. ` +
        "With fixed it is looked for as it is.",
    );
  }
}
