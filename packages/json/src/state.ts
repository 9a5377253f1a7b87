import { codesOf } from "./codes.ts";
import { DEGREE } from "./degree.ts";
import { KeyCache } from "./key-cache.ts";
import { DEFAULT_MAX_DEPTH, LimitError } from "./limits.ts";
import { newString, type OpenString } from "./open-string.ts";
import type { RepairKind } from "./repair-kinds.ts";
import { RepairList } from "./repair-list.ts";
import { ARRAY, type SchemaHint } from "./schema-hint.ts";

/** What the parser expects next. */
export const VALUE = 0;
export const KEY = 1;
export const COLON = 2;
export const NEXT = 3;
export const DONE = 4;

/** An object or array that is still open. */
export interface Frame {
  /** The members or the elements; one of the two is set. */
  object: Record<string, unknown> | undefined;
  array: unknown[] | undefined;
  /** Whether it was opened with a parenthesis. */
  tuple: boolean;
  /** The key whose value comes next; only read in an object. */
  key: string;
  hint: SchemaHint | undefined;
  position: number;
}

export interface StateOptions {
  maxDepth?: number | undefined;
  hint?: SchemaHint | undefined;
  stops?: readonly string[] | undefined;
  /** Keep the characters of numbers beside the document. */
  literals?: boolean | undefined;
}

/** How JSON writes the control characters. */
const CONTROLS = Array.from({ length: 32 }, (_, code) =>
  JSON.stringify(String.fromCharCode(code)).slice(1, -1),
);
const NOT_READ = new Uint8Array();

/**
 * Everything the tolerant parser knows between two steps. A text that is still arriving is `final: false`: a step that
 * would have to see more of it leaves the state as it was and waits.
 */
export class ParserState {
  text: string;
  pos: number;
  end: number;
  final: boolean;
  /** Offset of `text` in everything that was received; positions in repairs are absolute. */
  base = 0;

  expect: number = VALUE;
  frames: Frame[] = [];
  top: Frame | undefined = undefined;
  openArrays = 0;
  root: unknown = undefined;
  rootHint: SchemaHint | undefined;
  /** Position of the comma just read, or -1. */
  comma = -1;
  /** Position of the last element of a list that stands behind a number without a comma, or -1. */
  spaced = -1;
  /** The string being read, while `inString`. One object serves all strings. */
  readonly string: OpenString = newString();
  inString = false;
  /** A `+` was read after a string: the next string is appended to it. */
  joining = false;
  /** The text ended inside the value. */
  cut = false;
  /** The text ended inside a string whose end was then guessed: nobody can say that it was not cut off there. */
  unended = false;
  /** The text is known to be cut off: a string without an end is a cut one, not one that lacks its quote. */
  truncated = false;
  /** A lone string that cannot be read without guessing; the position says where. */
  refused = -1;
  /** Quotes inside a string have another reading: its end and the beginning of another one. */
  doubtful = false;
  /** Position of the first number that a double cannot hold, -1 when there is none. */
  inexact = -1;
  /** The characters of numbers that say more than the numbers do, by container and key. */
  readonly literals: Map<unknown, Map<string | number, string>> | undefined;
  /** The token that a reading function just read. */
  token: unknown = undefined;
  /** Strings stop before the next key, because one that began further left was seen to have no end. */
  endless = false;
  /** Strings are not taken for nested JSON any more, because one that was had no end. */
  unnested = false;
  /** The outermost array has no brackets of its own: the end of the text ends it. */
  bare = false;
  /** The document doubles its quotes. */
  doubled = false;
  /** Quotes outside strings are escaped, as in a document that was encoded twice. */
  escaped = false;

  readonly repairs = new RepairList();
  stops: readonly string[];
  maxDepth: number;
  readonly keys = new KeyCache();
  /** Codes of the text at hand, once `plainCodes` was asked for them. */
  codes: Uint8Array = NOT_READ;
  private lineText = "";
  private lineEnd = -1;

  constructor(text: string, start: number, options: StateOptions) {
    this.text = text;
    this.pos = start;
    this.end = text.length;
    this.final = true;
    this.maxDepth = options.maxDepth ?? DEFAULT_MAX_DEPTH;
    this.rootHint = options.hint;
    this.stops = options.stops ?? [];
    this.literals = options.literals === true ? new Map() : undefined;
  }

  plainCodes(): Uint8Array {
    if (this.codes === NOT_READ) this.codes = codesOf(this.text);
    return this.codes;
  }

  /** Offset of the last line break of the text at hand, -1 when there is none. */
  lastLine(): number {
    if (this.lineText !== this.text) {
      this.lineText = this.text;
      this.lineEnd = this.text.lastIndexOf("\n");
    }
    return this.lineEnd;
  }

  /** Whether one of the texts that end the document outside strings begins at this offset. */
  atStop(offset: number): boolean {
    return this.stops.some((stop) => this.text.startsWith(stop, offset));
  }

  /**
   * Lists a repair at an offset of the text at hand. Whoever reports at every token gives the degree: to look it up
   * takes longer than to list the repair.
   */
  report(kind: RepairKind, offset: number, before: string, after: string, degree = DEGREE[kind]): void {
    this.repairs.add(kind, this.base + offset, before, after, degree);
  }

  /** Lists the raw control character at an offset, which stays as it is. */
  reportControl(offset: number): void {
    const before = this.text.charAt(offset);
    this.report("control-character", offset, before, CONTROLS[before.charCodeAt(0)]!);
  }

  /** Keeps the characters of the number that comes next. */
  keepLiteral(literal: string): void {
    if (this.literals === undefined || this.top === undefined) return;
    const { object, array = [], key } = this.top;
    const container = object ?? array;
    const kept = this.literals.get(container) ?? new Map<string | number, string>();
    this.literals.set(container, kept.set(object === undefined ? array.length : key, literal));
  }

  openFrame(array: boolean, tuple: boolean): void {
    if (this.frames.length >= this.maxDepth) {
      const message = `Nesting is deeper than ${this.maxDepth} levels; flatten the value or raise limits.maxDepth.`;
      throw new LimitError("maxDepth", message, this.base + this.pos);
    }
    const hint = this.valueHint();
    const frame: Frame = {
      object: array ? undefined : {},
      array: array ? [] : undefined,
      tuple,
      key: "",
      hint,
      position: this.base + this.pos,
    };
    this.attach(array ? frame.array : frame.object);
    this.comma = -1;
    this.pushFrame(frame);
  }

  private pushFrame(frame: Frame): void {
    this.frames.push(frame);
    this.top = frame;
    if (frame.array !== undefined) this.openArrays++;
    this.expect = frame.array !== undefined ? VALUE : KEY;
  }

  closeFrame(): void {
    const closed = this.frames.pop();
    if (closed?.array !== undefined) this.openArrays--;
    this.top = this.frames.at(-1);
    this.comma = -1;
    this.expect = this.top === undefined ? DONE : NEXT;
  }

  /** Puts a finished value where it belongs and expects what follows it. */
  put(value: unknown): void {
    if (this.joining) this.replaceLast(`${this.last()}${value}`);
    else this.attach(value);
    this.joining = false;
    this.comma = -1;
    this.expect = this.top === undefined ? DONE : NEXT;
  }

  /** Opens the finished object at the root again. */
  reopenRoot(): void {
    const object = this.root as Record<string, unknown>;
    this.pushFrame({ object, array: undefined, tuple: false, key: "", hint: this.rootHint, position: 0 });
  }

  /** Opens the value put last again, if it is an array, or an object, as asked. */
  reopenLast(array: boolean): boolean {
    const last = this.last();
    if (typeof last !== "object" || last === null || Array.isArray(last) !== array) return false;
    this.comma = -1;
    this.pushFrame({
      object: array ? undefined : (last as Record<string, unknown>),
      array: array ? (last as unknown[]) : undefined,
      tuple: false,
      key: "",
      hint: this.valueHint(),
      position: this.base + this.pos,
    });
    return true;
  }

  /** Takes the string put last out of its array and makes it the first key of an object there. */
  openImplied(): boolean {
    const array = this.top?.array;
    const key = array?.at(-1);
    if (array === undefined || typeof key !== "string") return false;
    array.pop();
    this.openFrame(false, false);
    if (this.top !== undefined) this.top.key = key;
    this.expect = VALUE;
    return true;
  }

  /** Makes the finished root the first element of an open array. */
  wrapRoot(): void {
    const hint = this.rootHint?.allows(ARRAY) ? this.rootHint : undefined;
    const array = [this.root];
    this.root = array;
    this.bare = true;
    this.pushFrame({ object: undefined, array, tuple: false, key: "", hint, position: 0 });
    this.expect = NEXT;
  }

  /** Makes this the key whose value comes next; `s.pos` is where it began. */
  takeKey(key: string): void {
    const top = this.top;
    if (top?.object === undefined) return;
    top.key = key;
    if (top.object[key] !== undefined && Object.hasOwn(top.object, key))
      this.report("duplicate-key", this.pos, key, key);
    this.expect = COLON;
  }

  /** What the schema says about the value that comes next. */
  valueHint(): SchemaHint | undefined {
    const top = this.top;
    if (top === undefined) return this.rootHint;
    if (top.hint === undefined) return undefined;
    return top.array === undefined ? top.hint.member(top.key) : top.hint.item(top.array.length);
  }

  /** Drops the text before an offset and appends what arrived; every offset moves along. */
  extend(keep: number, more: string): void {
    this.text = this.text.slice(keep) + more;
    this.codes = NOT_READ;
    this.end = this.text.length;
    this.base += keep;
    this.pos -= keep;
    const open = this.string;
    open.start -= keep;
    open.from -= keep;
    open.scan -= keep;
    open.reopened = open.reopened < 0 ? -1 : open.reopened - keep;
    open.cut -= keep;
    open.counted -= keep;
  }

  /** The value that was put last. */
  last(): unknown {
    const top = this.top;
    if (top === undefined) return this.root;
    return top.array === undefined ? top.object?.[top.key] : top.array.at(-1);
  }

  replaceLast(value: unknown): void {
    const top = this.top;
    if (top?.array !== undefined) top.array.pop();
    this.attach(value);
  }

  private attach(value: unknown): void {
    const top = this.top;
    if (top === undefined) this.root = value;
    else if (top.array !== undefined) top.array.push(value);
    else if (top.object !== undefined) setMember(top.object, top.key, value);
  }
}

/** Sets an own data property whatever the key: `__proto__` is a key like any other. */
export function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}
