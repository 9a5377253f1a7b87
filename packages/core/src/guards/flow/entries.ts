/** A tool's answer taken apart into entries: the items of its lists, and the rest of it. */
import { isPlainObject } from "../../is-record.ts";
import { isMoment } from "./dates.ts";
import { fold } from "./fold.ts";
import { wordsOf } from "./words.ts";

/** A value of an entry. */
export interface Piece {
  readonly folded: string;
  /** The words of the field that holds it. */
  readonly words: readonly string[];
  /** False for a field that others may write: it can name the entry, and vouches for nothing. */
  readonly vouches: boolean;
  /** Whether it can name the entry on its own: no number, no date, no everyday word. */
  readonly isName: boolean;
}

export interface Entry {
  readonly pieces: Piece[];
  /** The list that it is an item of. The root of an answer is in none. */
  readonly list?: EntryList;
}

interface EntryList {
  /** The words of the tool and of the field that holds the list. */
  readonly words: ReadonlySet<string>;
  readonly items: Entry[];
  /** The entry that holds the list. */
  readonly within: Entry;
}

/** What is known of an answer besides its text. */
export interface AnswerShape {
  /** The name of the tool. */
  readonly name: string;
  /** Fields that the service assigns; without it, every field vouches. */
  readonly assigned?: ReadonlySet<string> | undefined;
}

/** Data that lies deeper vouches for nothing. */
const MAX_DEPTH = 64;
/** A name of a field. Other keys are data: the object is a map, and each of its pairs an entry. */
const FIELD_NAME = /^[A-Za-z_$][\w$-]*$/;

/** Every entry of an answer, the root first. */
export function entriesOf(text: string, { name, assigned }: AnswerShape): Entry[] {
  const tree = new Tree(wordsOf(name), assigned);
  const data = parsed(text);
  if (data !== undefined) tree.addData(data);
  // In free text, a stranger's words cannot be told from what was assigned.
  else if (assigned === undefined) tree.addText(text);
  return tree.entries;
}

class Tree {
  readonly entries: Entry[] = [{ pieces: [] }];
  readonly #words: readonly string[];
  readonly #assigned: ReadonlySet<string> | undefined;

  constructor(words: readonly string[], assigned: ReadonlySet<string> | undefined) {
    this.#words = words;
    this.#assigned = assigned;
  }

  addText(text: string, entry = this.entries[0] as Entry, field = ""): void {
    const blocks = blocksOf(text);
    const list = blocks.length > 1 ? this.#listIn(entry, field) : undefined;
    for (const block of blocks) {
      const { pieces } = list === undefined ? entry : this.#itemOf(list);
      for (const line of block.split("\n")) pieces.push(pieceOf(line, [], true));
    }
  }

  addData(value: unknown, entry = this.entries[0] as Entry, field = "", depth = 0): void {
    if (value === null || depth > MAX_DEPTH) return;
    const [only, ...others] = Array.isArray(value) ? value : [];
    if (Array.isArray(value) && others.length === 0) {
      if (value.length === 1) this.addData(only, entry, field, depth + 1);
    } else if (Array.isArray(value)) {
      const list = this.#listIn(entry, field);
      for (const item of value) this.addData(item, this.#itemOf(list), field, depth + 1);
    } else if (typeof value === "string" && value.includes("\n") && this.#assigned === undefined) {
      this.addText(value, entry, field);
    } else if (!isPlainObject(value)) {
      entry.pieces.push(pieceOf(String(value), wordsOf(field), this.#assigned?.has(field) ?? true));
    } else if (isMap(value)) {
      const list = this.#listIn(entry, field);
      for (const [key, item] of Object.entries(value)) {
        const pair = this.#itemOf(list);
        pair.pieces.push(pieceOf(key, [], this.#assigned === undefined));
        this.addData(item, pair, field, depth + 1);
      }
    } else {
      for (const [key, item] of Object.entries(value)) this.addData(item, entry, key, depth + 1);
    }
  }

  #listIn(within: Entry, field = ""): EntryList {
    return { words: new Set([...this.#words, ...wordsOf(field)]), items: [], within };
  }

  #itemOf(list: EntryList): Entry {
    const entry: Entry = { pieces: [], list };
    list.items.push(entry);
    this.entries.push(entry);
    return entry;
  }
}

function pieceOf(text: string, words: readonly string[], vouches: boolean): Piece {
  const folded = fold(text);
  return { folded, words, vouches, isName: isName(text, folded) };
}

/** "Rent", "old-budget.xlsx" and "site visit" name something; "open", "150" and "2026-10-05" do not. */
function isName(text: string, folded: string): boolean {
  if (folded.length < 3 || isMoment(folded) || !/\p{L}/u.test(folded)) return false;
  return /\p{Lu}|[\d@._/ -]/u.test(text.trim());
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isMap(value: Record<string, unknown>): boolean {
  const keys = Object.keys(value);
  if (keys.length < 2) return false;
  return !keys.every((key) => FIELD_NAME.test(key)) || Object.values(value).every(isPlainObject);
}

const BULLET = /^\s*(?:[-*•]|\d+[.)])\s/;
const FIELD_LINE = /^\s*(?:[-*•]\s+)?([a-z][a-z0-9_]*):(?:\s|$)/;

/** Lines are entries of their own, but for the fields of one record. A single line may hold a list, too. */
function blocksOf(text: string): string[] {
  const blocks: string[][] = [];
  let seen = new Set<string>();
  for (const line of text.split(/\r?\n/)) {
    const field = FIELD_LINE.exec(line)?.[1];
    const begins = field === undefined || seen.size === 0 || seen.has(field) || BULLET.test(line);
    if (begins) seen = new Set();
    if (field !== undefined) seen.add(field);
    if (line.trim() === "") continue;
    if (begins) blocks.push([line]);
    else blocks.at(-1)?.push(line);
  }
  const [first, ...rest] = blocks;
  if (first === undefined || rest.length > 0 || first.length > 1)
    return blocks.map((lines) => lines.join("\n"));
  return itemsOf(first[0] ?? "");
}

function itemsOf(line: string): string[] {
  // Data that was cut: nothing tells which of it belongs together.
  if (/^\s*[[{]/.test(line)) return split(line, /[,;|{}[\]]/);
  const parts = split(line, /[;|]/);
  if (parts.length > 1) return parts;
  const items = split(line, /, | and | or /);
  const kind = (item: string) => `${item.includes("@")} ${item.includes(":")}`;
  // "Ann Lee, ann@firm.example" is one record.
  return new Set(items.map(kind)).size > 1 ? [line] : items;
}

function split(line: string, separator: RegExp): string[] {
  return line.split(separator).filter((part) => part.trim() !== "");
}
