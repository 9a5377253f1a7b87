/**
 * Text of others with what could move a cursor, turn lines around or hide spelt out: control characters but tabs and ends of
 * lines, overrides of direction, and tags, which are letters that nobody sees.
 */
export function speltOut(text: string): string {
  return text.replaceAll(
    /(?![\t\n\r])\p{Cc}|[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
