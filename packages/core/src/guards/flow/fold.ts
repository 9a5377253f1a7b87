/**
 * Case and spacing do not matter, and composed characters equal decomposed ones. Nothing else is equal: a letter that
 * merely looks like another, also one that Unicode calls compatible, makes another name.
 */
export function fold(text: string): string {
  // Only where there are marks to compose: on its own, NFC also turns the Kelvin sign into a K.
  const composed = (/\p{M}/u.test(text) ? text.normalize("NFC") : text).replace(/\s+/g, " ").trim();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  return /^[\x00-\x7f]*$/.test(composed) ? composed.toLowerCase() : Array.from(composed, lowerCase).join("");
}

/** The Kelvin sign is lower-cased into an ASCII letter, too; only a letter that comes back counts as one. */
function lowerCase(character: string): string {
  const lower = character.toLowerCase();
  return lower.toUpperCase() === character ? lower : character;
}
