import { displayWidth } from "./display-width.ts";

/**
 * Text in lines of at most `room` columns, broken between words and indented as it was. A word that is longer stays
 * whole, so that it can be copied.
 */
export function wrap(text: string, room: number): string[] {
  const words = text.trimStart();
  const indent = text.slice(0, text.length - words.length);
  const lines: string[] = [];
  let line = indent;
  let width = indent.length;
  for (const word of words.split(" ")) {
    const longer = width + displayWidth(word) + (line === indent ? 0 : 1);
    if (longer <= room || line === indent) {
      line = line === indent ? `${indent}${word}` : `${line} ${word}`;
      width = longer;
    } else {
      lines.push(line);
      line = `${indent}${word}`;
      width = indent.length + displayWidth(word);
    }
  }
  return [...lines, line];
}

/** However narrow the terminal is: less cannot be read. */
const LEAST_ROOM = 24;

/** Text that stands behind `width` characters: what does not fit on the line goes on below where it began. */
export function hang(width: number, text: string, room: number): string {
  const left = Math.max(room - width, LEAST_ROOM);
  return text
    .split("\n")
    .flatMap((line) => wrap(line, left))
    .join(`\n${" ".repeat(width)}`);
}
