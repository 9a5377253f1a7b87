const KINDS = {
  /** What cannot be seen, looks like an ordinary space, or turns around the text after it; ends of lines stay. */
  hidden: /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu,
  /** What could move a cursor, turn lines around or is a letter that nobody sees; tabs, ends of lines and spaces of all kinds stay. */
  steering: /(?![\t\n\r])\p{Cc}|[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu,
} as const;

/**
 * Text of others in which nothing hides: what does is spelt out, `\u{202e}`, and nothing is taken away. "hidden" is for somebody
 * who decides by what they see, "steering" for long text in which people's own spaces and joiners are not worth a word.
 */
export function speltOut(text: string, kind: keyof typeof KINDS = "hidden"): string {
  return text.replace(KINDS[kind], (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`);
}
