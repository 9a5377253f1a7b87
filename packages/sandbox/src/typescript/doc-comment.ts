/** How much of a description a declaration shows, in characters. */
const MAX_LENGTH = 600;

// Whatever ends a line, turns the direction of writing or cannot be seen: text in a declaration is what it looks like.
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be there
const HIDDEN = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\p{Cf}\u2028\u2029]/gu;

/** Somebody's words as lines of a comment, which they cannot end. Empty for no words. */
export function docComment(text: unknown, indent: string): string {
  if (typeof text !== "string") return "";
  const plain = text
    .replaceAll(/\r\n?|[\u2028\u2029]/g, "\n")
    .replaceAll(HIDDEN, " ")
    .replaceAll("*/", "*\\/")
    .trim();
  if (plain === "") return "";
  const shown =
    plain.length > MAX_LENGTH ? `${[...plain.slice(0, MAX_LENGTH)].slice(0, -1).join("")} …` : plain;
  const lines = shown.split("\n").map((line) => line.trimEnd());
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}
