import type { SourceProblem } from "../typescript/strip.ts";

/** What cannot be seen, or turns around what is read: control characters but tab and line breaks, marks, tags. */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u;

/** A text that a person has to judge holds nothing that they do not see. */
export function hiddenIn(what: string, text: string): SourceProblem | undefined {
  const found = HIDDEN.exec(text);
  if (found === null) return undefined;
  const code = (found[0].codePointAt(0) ?? 0).toString(16).padStart(4, "0");
  return {
    message: `${what} holds the character U+${code.toUpperCase()}, which cannot be seen.`,
    line: text.slice(0, found.index).split("\n").length,
    hint: `Leave it out, or write \\u{${code}} in a string.`,
  };
}
