/** Words that say nothing about what a tool is for. */
const STOP = new Set(
  (
    "a an and any are as at be by can do does for from get give has have how i if in into is it its let me my of on or our " +
    "out please so some that the their them then there these this to up us want was we what when where which who will with " +
    "would you your need should could"
  ).split(" "),
);

/** The words of a text that say something: names taken apart, in lower case. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const run of text.match(/[\p{L}\p{N}]+/gu) ?? []) {
    for (const word of run.match(/\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}]+|\p{Lu}+(?!\p{Ll})|\p{N}+|\p{L}+/gu) ?? []) {
      const lower = word.toLowerCase();
      if (!STOP.has(lower)) words.push(lower);
    }
  }
  return words;
}

/** The words of a text in the form in which they are compared: without common endings. */
export function tokensOf(text: string): string[] {
  return wordsOf(text).map(stem);
}

/** A word without the endings that differ between a question and a description: plurals, -ing, -ed, -er, -ion. */
export function stem(word: string): string {
  if (word.length <= 3) return word;
  let root = word;
  if (root.endsWith("ies") && root.length > 4) root = `${root.slice(0, -3)}y`;
  else if (/(?:ss|x|ch|sh)es$/.test(root)) root = root.slice(0, -2);
  else if (root.endsWith("s") && !/(?:ss|us|is)$/.test(root)) root = root.slice(0, -1);
  for (const ending of ["ation", "ion", "ing", "ed", "er", "or"]) {
    if (root.endsWith(ending) && root.length - ending.length >= 3) {
      root = root.slice(0, -ending.length);
      break;
    }
  }
  if (root.length > 4 && root.at(-1) === root.at(-2) && !/[lsz]$/.test(root)) root = root.slice(0, -1);
  return root.length > 3 && root.endsWith("e") ? root.slice(0, -1) : root;
}
