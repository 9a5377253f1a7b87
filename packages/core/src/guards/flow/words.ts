/** The words of a name such as "eventIds" or "cancel_event", as `Asked` wants them. */
export function wordsOf(name: string): string[] {
  const spaced = name.replace(/(\p{Ll})(?=\p{Lu})/gu, "$1 ").toLowerCase();
  return (spaced.match(/\p{L}+/gu) ?? []).map(singular);
}

/** Without the s of the plural. */
export function singular(word: string): string {
  return word.length > 2 && word.endsWith("s") ? word.slice(0, -1) : word;
}
