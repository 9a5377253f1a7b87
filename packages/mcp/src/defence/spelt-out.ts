import { hidesSomething } from "./clean-text.ts";

/** Text for somebody who decides by what they see: what hides in it is spelt out, and nothing is taken away. Lines stay lines. */
export function speltOut(text: string): string {
  return [...text]
    .map((character) =>
      character !== "\n" && (hidesSomething(character) || (/\s/.test(character) && character !== " "))
        ? `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`
        : character,
    )
    .join("");
}
