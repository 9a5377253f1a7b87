/**
 * Text of strangers as a person may see it: control characters and those that turn the direction of the line or have no
 * width are named in its place, so that nothing looks like what it is not. Line breaks and tabs stay.
 */
export function visible(text: string): string {
  return text.replace(
    UNSEEN,
    (character) => `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}

/** The same on one line: breaks and runs of blanks become one blank. */
export function oneLine(text: string): string {
  return visible(text.replace(/\s+/g, " ").trim());
}

/** Control and format characters, but breaks, tabs and what joins emoji. */
const UNSEEN =
  /(?![\n\r\t\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d/gu;
