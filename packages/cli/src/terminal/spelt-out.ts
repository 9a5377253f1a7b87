/** What cannot be seen, looks like an ordinary space, or turns around the text after it. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** Text for somebody who decides by what they see: nothing in it hides. Lines stay lines. */
export function speltOut(text: string): string {
  return text.replace(HIDDEN, (character) =>
    character === "\n" ? character : `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`,
  );
}
