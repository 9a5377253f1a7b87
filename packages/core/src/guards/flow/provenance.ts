/** Whether a value was literally said by somebody who is trusted. */
import { isAmong, isMoment, isOfDay, type Moments, momentsIn } from "./dates.ts";
import { fold } from "./fold.ts";
import { occurrences } from "./occurrences.ts";
import { type Request, requestOf } from "./request.ts";
import { singular } from "./words.ts";

/** How much trusted text is kept; the oldest goes first. */
export const MAX_CHARACTERS = 200_000;

/** What is asked about a value. */
export interface Asked {
  readonly value: string | number | boolean | null;
  /** Whether a short number, said in another sense, would choose something: "June 13" is no file 13. */
  readonly isId?: boolean;
  /** The words of the parameter and of the tool. */
  readonly words?: ReadonlySet<string>;
  /** Years that a day may be in which was said without one. */
  readonly years?: ReadonlySet<string>;
  /** What comparing may still cost. Once it is used up nothing is known any more. */
  readonly effort?: Effort;
}

/** How much may be compared in one check, so that no text takes longer than its length accounts for. */
export interface Effort {
  left: number;
}

/** As many characters as are scanned in a fraction of a second. */
export const EFFORT = 50_000_000;
/** What one place costs at which a value occurs, in characters. */
const PLACE_COST = 256;

interface Text {
  readonly length: number;
  /** Taken apart when something is first looked for: most runs never look. */
  fresh: string | undefined;
  folded: string;
  request: Request | undefined;
  /** Written with thousands or with zeros at the end; found when a number is first looked for. */
  numbers?: ReadonlySet<number>;
  moments?: Moments;
}

/** The user's words. A day that was said counts in another form as well. */
export class KnownText {
  readonly #texts: Text[] = [];
  #size = 0;

  /** How many characters are kept. */
  get size(): number {
    return this.#size;
  }

  /** What each text asks for. */
  get requests(): Request[] {
    return this.#texts.map((text) => takeApart(text).request ?? requestOf(""));
  }

  add(text: string): void {
    const fresh = wholeWords(text);
    if (fresh === "") return;
    this.#texts.push({ length: fresh.length, fresh, folded: "", request: undefined });
    this.#size += fresh.length;
    while (this.#size > MAX_CHARACTERS && this.#texts.length > 1)
      this.#size -= this.#texts.shift()?.length ?? 0;
  }

  /** Whether a value occurs, as words of its own. Nothing and flags never do: nobody says them. */
  has(asked: Asked): boolean {
    const { value } = asked;
    if (typeof value === "boolean" || value === null) return false;
    const wanted = fold(String(value));
    if (wanted === "") return false;
    const years = isMoment(wanted) ? this.#years(asked.years) : undefined;
    return this.#texts.some((text) => {
      takeApart(text);
      if (occurs(text.folded, wanted, asked)) return true;
      if (typeof value === "number") {
        if (asked.isId === true && SHORT_NUMBER.test(wanted)) return false;
        text.numbers ??= numbersIn(text.folded);
        return text.numbers.has(value);
      }
      return years !== undefined && isAmong(wanted, momentsOf(text), years);
    });
  }

  #years(known: ReadonlySet<string> | undefined): ReadonlySet<string> {
    return new Set([...(known ?? []), ...this.#texts.flatMap((text) => [...momentsOf(text).years])]);
  }
}

function momentsOf(text: Text): Moments {
  text.moments ??= momentsIn(takeApart(text).folded);
  return text.moments;
}

function takeApart(text: Text): Text {
  if (text.fresh === undefined) return text;
  text.folded = fold(text.fresh);
  text.request = requestOf(text.fresh);
  text.fresh = undefined;
  return text;
}

/** Text that is cut ends with a whole word: half an address is another address. */
export function wholeWords(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const end = text.slice(0, MAX_CHARACTERS).search(/\s\S*$/);
  // A part of a text holds on to the whole; text that was put together does not.
  return end <= 0 ? "" : ` ${text.slice(0, end)}`.slice(1);
}

/** What joins a value to its neighbour, so that it is only a part: "bob@example.com" in "bob@example.com.evil.org". */
const JOINED_BEFORE = /(?:[\p{L}\p{N}\p{M}_@/\\.~%&=+-]|\d[,'’:])$/u;
const JOINED_AFTER = /^(?:[\p{L}\p{N}\p{M}_@/\\]|[.~%&=+?#:-][\p{L}\p{N}_/\\@%]|[,'’]\d)/u;
const HAS_WORD = /[\p{L}\p{N}]/u;
/** Digits in groups, as in "5 000": neither group is the number. */
const GROUP_BEFORE = /(?:^|\D)\d{1,3}(?: \d{3})* $/;
const GROUP_AFTER = /^ \d{3}(?!\d)/;
/** Also with what tools overlook around it: "#13", "13.", "13.0". */
const SHORT_NUMBER = /^[^\p{L}\p{N}]*\d{1,4}(?:\.0+)?[^\p{L}\p{N}]*$/u;
/** How far before and behind a place is looked. */
const NEAR = 48;

/** Whether a value occurs in a folded text of another than the user. */
export function occursIn(text: string, asked: Asked): boolean {
  const { value, isId = false } = asked;
  if (typeof value === "boolean" || value === null) return false;
  const wanted = fold(String(value));
  if (wanted === "") return false;
  if (wanted.length <= text.length && occurs(text, wanted, asked)) return true;
  if (typeof value !== "number" || (isId && SHORT_NUMBER.test(wanted))) return false;
  return (asked.effort === undefined || spend(asked.effort, text.length)) && numbersIn(text).has(value);
}

function occurs(text: string, wanted: string, { isId = false, words = NO_WORDS, effort }: Asked): boolean {
  if (effort !== undefined && !spend(effort, text.length + wanted.length)) return false;
  const short = SHORT_NUMBER.test(wanted);
  for (const at of occurrences(text, wanted)) {
    if (effort !== undefined && !spend(effort, PLACE_COST)) return false;
    const before = text.slice(Math.max(0, at - NEAR), at);
    const after = text.slice(at + wanted.length, at + wanted.length + NEAR);
    if (!standsAlone(before, wanted, after)) continue;
    if (!short) return true;
    if (isOfDay(before, after) && !DAY_WORDS.some((word) => words.has(word))) continue;
    if (!isId || isNextTo(before, after, words)) return true;
  }
  return false;
}

function spend(effort: Effort, cost: number): boolean {
  effort.left -= cost;
  return effort.left >= 0;
}

function standsAlone(before: string, wanted: string, after: string): boolean {
  // Without a letter or digit, such as "/" or "*", a value is said only in quotes or as all that was said.
  if (!HAS_WORD.test(wanted))
    return before === "" ? after === "" : /["'`]$/.test(before) && /^["'`]/.test(after);
  if (JOINED_BEFORE.test(before) || JOINED_AFTER.test(after)) return false;
  if (/^\d{3}(?!\d)/.test(wanted) && GROUP_BEFORE.test(before)) return false;
  return !(/\d$/.test(wanted) && GROUP_AFTER.test(after));
}

const NO_WORDS: ReadonlySet<string> = new Set();
const DAY_WORDS = ["day", "date", "month", "year", "time"];
/** Between a word and the number it names: "files number 13 and 14". */
const FILLERS: ReadonlySet<string> = new Set(["number", "no", "nr", "is", "and", "or"]);
const PIECES = /\p{L}+|\d+|[^\p{L}\d]+/gu;

/** Whether a number is named by one of the words: "file 13", "id: 13", "13 nights". */
function isNextTo(before: string, after: string, words: ReadonlySet<string>): boolean {
  const behind = /^ (\p{L}+)/u.exec(after)?.[1];
  if (behind !== undefined && words.has(singular(behind))) return true;
  const pieces = before.match(PIECES) ?? [];
  for (let index = pieces.length - 1; index > 0; index -= 2) {
    const between = pieces[index] ?? "";
    const piece = pieces[index - 1] ?? "";
    const isNumber = /^\d{1,4}$/.test(piece);
    if (!/^[\s"'`:=#([]+$/.test(between) && !(isNumber && /^,\s*$/.test(between))) return false;
    if (words.has(singular(piece))) return true;
    if (!isNumber && !FILLERS.has(piece)) return false;
  }
  return false;
}

const NUMBER =
  /(?<![\p{L}\p{N}_.,'’/@:-])\d+(?:,\d{3})*(?:\.\d+)?(?![\p{L}\p{N}_/@]|[.,:'’-]\d| \d{3}(?!\d))/gu;
const MAX_NUMBERS = 10_000;

/** The values of numbers that are written with thousands or with zeros at the end. "1.000" could be either: left out. */
function numbersIn(text: string): Set<number> {
  const numbers = new Set<number>();
  for (const { 0: written, index } of text.matchAll(NUMBER)) {
    if (numbers.size >= MAX_NUMBERS) break;
    if (/^\d{1,4}$/.test(written) || /^\d+\.\d{3}$/.test(written)) continue;
    if (GROUP_BEFORE.test(text.slice(Math.max(0, index - NEAR), index))) continue;
    if (written.includes(",") && !/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(written)) continue;
    numbers.add(Number(written.replaceAll(",", "")));
  }
  return numbers;
}
