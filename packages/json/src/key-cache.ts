const SLOTS = 128;
const LONGEST = 24;

/** Short keys of one document, since documents repeat them: reusing a string is cheaper than making it again. */
export class KeyCache {
  private known: (string | undefined)[] | undefined;

  /** The text between two offsets, given its codes too. */
  read(text: string, codes: Uint8Array, from: number, to: number): string {
    const length = to - from;
    if (length > LONGEST || length === 0) return text.slice(from, to);
    const slot = (length + codes[from]! * 5 + codes[to - 1]! * 3) & (SLOTS - 1);
    this.known ??= new Array(SLOTS);
    const known = this.known[slot];
    if (known !== undefined && known.length === length) {
      let i = 0;
      while (i < length && known.charCodeAt(i) === codes[from + i] && codes[from + i]! < 128) i++;
      if (i === length) return known;
    }
    const key = text.slice(from, to);
    this.known[slot] = key;
    return key;
  }
}
