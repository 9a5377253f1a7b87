const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** Letters and pictures that take two columns of a terminal. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f1e6}-\u{1f1ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
const PLAIN = /^[\x20-\x7e]*$/;

/** How many columns of a terminal a text takes that `visible` has been applied to. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(text)) width += widthOfOne(segment);
  return width;
}

/** Text in at most `room` columns: what is longer ends in "…". */
export function cutTo(text: string, room: number): string {
  if (displayWidth(text) <= room) return text;
  let cut = "";
  let left = room - 1;
  for (const { segment } of GRAPHEMES.segment(text)) {
    left -= widthOfOne(segment);
    if (left < 0) break;
    cut += segment;
  }
  return `${cut}…`;
}

/** As `padEnd`, counted in columns. */
export function padTo(text: string, columns: number): string {
  return `${text}${" ".repeat(Math.max(0, columns - displayWidth(text)))}`;
}

function widthOfOne(grapheme: string): number {
  return WIDE.test(grapheme) ? 2 : 1;
}
