/** Values up to this length are left to the platform, whose search is fast, and slow only by a factor of their length. */
const SHORT = 64;

/** Every place at which a value occurs in a text, also where occurrences overlap. Takes time linear in both. */
export function* occurrences(text: string, wanted: string): Generator<number, void> {
  if (wanted.length > SHORT) {
    yield* longOccurrences(text, wanted);
    return;
  }
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) yield at;
}

/** Knuth, Morris and Pratt: no character of the text is looked at twice, however the value repeats itself. */
function* longOccurrences(text: string, wanted: string): Generator<number, void> {
  const overlap = overlapsOf(wanted);
  let matched = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    while (matched > 0 && code !== wanted.charCodeAt(matched)) matched = overlap[matched - 1] ?? 0;
    if (code === wanted.charCodeAt(matched)) matched += 1;
    if (matched < wanted.length) continue;
    yield index + 1 - matched;
    matched = overlap[matched - 1] ?? 0;
  }
}

/** For each length, the longest shorter beginning of the value with which that much of it also ends. */
function overlapsOf(wanted: string): Uint32Array {
  const overlap = new Uint32Array(wanted.length);
  let matched = 0;
  for (let index = 1; index < wanted.length; index++) {
    const code = wanted.charCodeAt(index);
    while (matched > 0 && code !== wanted.charCodeAt(matched)) matched = overlap[matched - 1] ?? 0;
    if (code === wanted.charCodeAt(matched)) matched += 1;
    overlap[index] = matched;
  }
  return overlap;
}
