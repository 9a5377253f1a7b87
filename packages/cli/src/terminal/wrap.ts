/**
 * Text in lines of at most `room` characters, broken between words and indented as it was. A word that is longer stays
 * whole, so that it can be copied.
 */
export function wrap(text: string, room: number): string[] {
  const words = text.trimStart();
  const indent = text.slice(0, text.length - words.length);
  const lines: string[] = [];
  let line = indent;
  for (const word of words.split(" ")) {
    const longer = line === indent ? `${indent}${word}` : `${line} ${word}`;
    if (longer.length <= room || line === indent) {
      line = longer;
    } else {
      lines.push(line);
      line = `${indent}${word}`;
    }
  }
  return [...lines, line];
}
