/** Whether a value was literally said by somebody who is trusted. */

/** How much trusted text is kept; the oldest goes first. */
const MAX_CHARACTERS = 200_000;

interface Text {
  folded: string;
  /** Written with thousands or with zeros at the end; found when a number is first looked for. */
  numbers?: ReadonlySet<number>;
}

export class KnownText {
  /** Taken apart when something is first looked for: most runs never look. */
  #fresh: string[] = [];
  readonly #texts: Text[] = [];
  #freshSize = 0;
  #size = 0;

  add(text: string): void {
    if (text === "") return;
    this.#fresh.push(text);
    this.#freshSize += text.length;
    while (this.#freshSize > MAX_CHARACTERS && this.#fresh.length > 1)
      this.#freshSize -= this.#fresh.shift()!.length;
  }

  /** Whether a value occurs, as words of its own. Nothing and flags never do: nobody says them. */
  has(value: string | number | boolean | null): boolean {
    if (typeof value === "boolean" || value === null) return false;
    const wanted = fold(String(value));
    if (wanted === "") return false;
    this.#takeIn();
    return this.#texts.some((text) => {
      if (occurs(text.folded, wanted)) return true;
      if (typeof value !== "number") return false;
      text.numbers ??= numbersIn(text.folded);
      return text.numbers.has(value);
    });
  }

  #takeIn(): void {
    for (const text of this.#fresh) {
      const folded = wholeWords(fold(text));
      this.#texts.push({ folded });
      this.#size += folded.length;
    }
    this.#fresh = [];
    this.#freshSize = 0;
    while (this.#size > MAX_CHARACTERS && this.#texts.length > 1)
      this.#size -= this.#texts.shift()!.folded.length;
  }
}

/**
 * Case and spacing do not matter, and composed characters equal decomposed ones. Nothing else is equal: a letter that
 * merely looks like another, also one that Unicode calls compatible, makes another name.
 */
function fold(text: string): string {
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

/** Text that is cut ends with a whole word: half an address is another address. */
function wholeWords(folded: string): string {
  if (folded.length <= MAX_CHARACTERS) return folded;
  return folded.slice(0, Math.max(0, folded.lastIndexOf(" ", MAX_CHARACTERS)));
}

/** What joins a value to its neighbour, so that it is only a part: "bob@example.com" in "bob@example.com.evil.org". */
const JOINED_BEFORE = /(?:[\p{L}\p{N}\p{M}_@/\\.~%&=+-]|\d[,'’:])$/u;
const JOINED_AFTER = /^(?:[\p{L}\p{N}\p{M}_@/\\]|[.~%&=+?#:-][\p{L}\p{N}_/\\@%]|[,'’]\d)/u;
const HAS_WORD = /[\p{L}\p{N}]/u;
/** Digits in groups, as in "5 000": neither group is the number. */
const GROUP_BEFORE = /(?:^|\D)\d{1,3}(?: \d{3})* $/;
const GROUP_AFTER = /^ \d{3}(?!\d)/;

function occurs(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const before = text.slice(Math.max(0, at - 24), at);
    const after = text.slice(at + wanted.length, at + wanted.length + 8);
    if (standsAlone(before, wanted, after)) return true;
  }
  return false;
}

function standsAlone(before: string, wanted: string, after: string): boolean {
  // Without a letter or digit, such as "/" or ".", a value is said only where it stands between spaces or quotes.
  if (!HAS_WORD.test(wanted)) return /(?:^|[\s"'`])$/.test(before) && /^(?:$|[\s"'`])/.test(after);
  if (JOINED_BEFORE.test(before) || JOINED_AFTER.test(after)) return false;
  if (/^\d{3}(?!\d)/.test(wanted) && GROUP_BEFORE.test(before)) return false;
  return !(/\d$/.test(wanted) && GROUP_AFTER.test(after));
}

const NUMBER =
  /(?<![\p{L}\p{N}_.,'’/@:-])\d+(?:,\d{3})*(?:\.\d+)?(?![\p{L}\p{N}_/@]|[.,:'’-]\d| \d{3}(?!\d))/gu;
const MAX_NUMBERS = 10_000;

/** The values of numbers that are written with thousands or with zeros at the end. "1.000" could be either: left out. */
function numbersIn(text: string): Set<number> {
  const numbers = new Set<number>();
  for (const { 0: written, index } of text.matchAll(NUMBER)) {
    if (numbers.size >= MAX_NUMBERS) break;
    if (/^\d+\.\d{3}$/.test(written) || GROUP_BEFORE.test(text.slice(Math.max(0, index - 24), index)))
      continue;
    if (written.includes(",") && !/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(written)) continue;
    numbers.add(Number(written.replaceAll(",", "")));
  }
  return numbers;
}
