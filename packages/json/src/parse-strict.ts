import { BACKSLASH, CLOSE_BRACE, COLON, isSpace, MINUS, OPEN_BRACE, QUOTE } from "./characters.ts";

export interface StrictOptions {
  /** The subject of error messages, such as "The body". */
  subject: string;
  /** Deepest nesting that is accepted, at most 500. Default: any. */
  maxDepth?: number;
  /** Refuses members named `__proto__`, which are meant for code that merges objects. */
  withoutProto?: boolean;
}

/** Reason for which a text is refused. `JSON.parse` refuses "syntax" alone. */
type StrictProblem = "syntax" | "repeated-name" | "inexact-number" | "too-deep" | "proto";

export type StrictJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: StrictProblem; readonly message: string };

/** Thrown inside of this file. */
class Refused extends Error {
  readonly problem: StrictProblem;

  constructor(problem: StrictProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/**
 * JSON that means the same to every reader on its way, as `JSON.parse` returns it. Refuses text that is not JSON, a name that occurs
 * twice in one object, a whole number that a double cannot hold, and a text that is nested too deeply. Never throws.
 */
export function parseStrict(text: string, options: StrictOptions): StrictJson {
  try {
    const value: unknown = JSON.parse(text);
    // The text is known to be JSON from here on.
    if (typeof value !== "string") check(text, value, options);
    return { ok: true, value };
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof Refused) return { ok: false, problem: error.problem, message };
    return { ok: false, problem: "syntax", message: `${options.subject} must be JSON: ${message}.` };
  }
}

function check(text: string, value: unknown, options: StrictOptions): void {
  const levels = options.maxDepth ?? MAX_RECURSION;
  if (membersOf(value, levels, options) !== membersIn(text, options)) checkNames(text, options);
}

/** Levels of a value that a function may call itself for. */
const MAX_RECURSION = 500;

/**
 * Counts the members of all objects of a value: one less than in its text for every name that occurs again. NaN for a value that
 * is nested more deeply than can be counted.
 */
function membersOf(value: unknown, levels: number, options: StrictOptions): number {
  if (typeof value !== "object" || value === null) return 0;
  if (levels === 0) {
    if (options.maxDepth === undefined) return Number.NaN;
    throw new Refused("too-deep", `${options.subject} is deeper than ${options.maxDepth} levels.`);
  }
  let members = 0;
  if (Array.isArray(value)) {
    for (const each of value) members += membersOf(each, levels - 1, options);
    return members;
  }
  for (const key in value) {
    // A text can spell a name in many ways, a key only in one.
    if (key === "__proto__" && options.withoutProto === true) throw proto(options);
    members += 1 + membersOf((value as Record<string, unknown>)[key], levels - 1, options);
  }
  return members;
}

/** Counts the members written in a text. Throws for a number that is not read as it is written. */
function membersIn(text: string, options: StrictOptions): number {
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COLON) members += 1;
    else if (code === MINUS || isDigit(code)) at = endOfNumber(text, at, options);
  }
  return members;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** The number of digits that a double can always hold. */
const ALWAYS_EXACT = 15;
const REST_OF_NUMBER = /[\d.eE+-]*/y;

function endOfNumber(text: string, start: number, { subject }: StrictOptions): number {
  let end = start + 1;
  while (isDigit(text.charCodeAt(end))) end += 1;
  const after = text.charCodeAt(end);
  const isPlain = after !== 0x2e && after !== 0x45 && after !== 0x65;
  if (isPlain && end - start <= ALWAYS_EXACT) return end - 1;
  REST_OF_NUMBER.lastIndex = start;
  const [written = ""] = REST_OF_NUMBER.exec(text) ?? [];
  if (!isKept(written, isPlain))
    throw new Refused(
      "inexact-number",
      `${subject} has the number ${written.slice(0, 40)}, which would become ${Number(written)}. Send it as a string.`,
    );
  return start + written.length - 1;
}

/** A fraction may be rounded, as everywhere. A whole number is often an id: it is kept, or refused. */
function isKept(written: string, isWhole: boolean): boolean {
  const value = Number(written);
  if (!Number.isFinite(value)) return false;
  // `9007199254740993e0` and `9007199254740993.0` are whole as well.
  if (!isWhole && Number.isInteger(value) && !Number.isSafeInteger(value))
    return digitsOf(written) === digitsOf(String(value));
  return !isWhole || String(value) === written || BigInt(value) === BigInt(written);
}

/** The significant digits of a number, however it is written. Without a pattern for the last zeros, which would try every zero. */
function digitsOf(number: string): string {
  const [written = ""] = number.split(/e/i);
  const digits = written.replace(/[-.]/g, "").replace(/^0+/, "");
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 0x30) end -= 1;
  return digits.slice(0, end);
}

/** Throws for a name that is refused, as it stands in the text. */
function checkNames(text: string, options: StrictOptions): void {
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === OPEN_BRACE) open.push(new Set());
    else if (code === CLOSE_BRACE) open.pop();
    if (code !== QUOTE) continue;
    const end = endOfString(text, at);
    const key = text.slice(at, end + 1);
    at = end;
    while (isSpace(text.charCodeAt(at + 1))) at += 1;
    if (text.charCodeAt(at + 1) !== COLON) continue;
    const name = JSON.parse(key) as string;
    if (name === "__proto__" && options.withoutProto === true) throw proto(options);
    if (open.at(-1)?.has(name) === true) {
      const shown = JSON.stringify(name.slice(0, 60));
      throw new Refused("repeated-name", `${options.subject} has ${shown} twice in one object.`);
    }
    open.at(-1)?.add(name);
  }
}

function proto({ subject }: StrictOptions): Refused {
  return new Refused("proto", `${subject} has a field "__proto__".`);
}
