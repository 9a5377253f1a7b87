/** Sequences that steer a terminal: whole, so that nothing of them stays behind as letters. */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g;

/**
 * What is not seen, turns around the text after it or counts as a letter and shows none: control characters but tabs and ends
 * of lines, marks of direction, tags, fillers, halves of characters. Joiners and selectors are judged by their neighbours.
 */
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const SOME = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

/** One joiner between two letters of a script or two pictures, one selector behind either: what writing needs. */
const NEEDED =
  /(?<=[^\p{ASCII}\p{Cf}][\ufe0f]?)[\u200c\u200d](?=[^\p{ASCII}\p{Cf}])|(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|[0-9#*])[\ufe0e\ufe0f]/gu;

export interface CleanText {
  text: string;
  /** How many hidden characters were taken out, sequences for terminals included. */
  removed: number;
}

/**
 * Text of a stranger as it is read by people and models: what they see is what there is. Takes time in proportion to its length.
 */
export function cleanText(text: string): CleanText {
  if (!SOME.test(text)) return { text, removed: 0 };
  let removed = 0;
  const without = text.replaceAll("\r\n", "\n").replaceAll(SEQUENCES, (sequence) => {
    removed += sequence.length;
    return "";
  });
  const needed = new Set(Array.from(without.matchAll(NEEDED), ({ index }) => index));
  const clean = without.replaceAll(HIDDEN, (character, index: number) => {
    if (needed.has(index)) return character;
    removed += 1;
    return "";
  });
  return { text: clean.replaceAll(/[\p{Zl}\p{Zp}]/gu, "\n").replaceAll(/\p{Zs}/gu, " "), removed };
}

/** One line of it, for names in messages and lists. */
export function cleanLine(text: string, most: number): string {
  const line = cleanText(text.slice(0, most * 4))
    .text.replaceAll(/\s+/g, " ")
    .trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** Whether there is anything that `cleanText` would take out. */
export function hidesSomething(text: string): boolean {
  return cleanText(text).removed > 0;
}
