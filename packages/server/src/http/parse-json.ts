import { isUtf8 } from "node:buffer";
import { RequestProblem } from "./problem.ts";

/** How deep JSON may be: nothing that people send is deeper, and what works on it may recurse. */
const MAX_DEPTH = 64;

const QUOTE = 0x22;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/**
 * JSON that means to us what it means to everybody who reads it on its way. Throws a problem for bytes that are no UTF-8, a
 * member that is there twice, a whole number that would become another, what is deeper than anything that means something,
 * and for names of prototypes.
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new RequestProblem("REQUEST_MALFORMED", "The body is not UTF-8.");
  const whole = bytes.toString("utf8");
  const text = whole.charCodeAt(0) === 0xfeff ? whole.slice(1) : whole;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RequestProblem("REQUEST_MALFORMED", `The body is not JSON: ${(error as Error).message}`);
  }
  if (membersOf(value, MAX_DEPTH) !== membersIn(text)) throw repeated(text);
  return value;
}

/** How many members all objects of a value have. Prototypes are looked for here and not in the text, where a name can be written in many ways. */
function membersOf(value: unknown, depth: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth === 0)
    throw new RequestProblem("REQUEST_INVALID", `The body is deeper than ${MAX_DEPTH} levels.`);
  let members = 0;
  if (Array.isArray(value)) {
    for (const each of value) members += membersOf(each, depth - 1);
    return members;
  }
  for (const key in value) {
    // It is meant for objects that are merged.
    if (key === "__proto__") throw new RequestProblem("REQUEST_INVALID", 'The body has a field "__proto__".');
    members += 1 + membersOf((value as Record<string, unknown>)[key], depth - 1);
  }
  return members;
}

/** How many members are written in a text that is JSON. Throws a problem for numbers that were not read as they are written. */
function membersIn(text: string): number {
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COLON) members += 1;
    else if (code === MINUS || (code >= ZERO && code <= NINE)) at = endOfNumber(text, at);
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

/** Digits that every double has room for. */
const ALWAYS_EXACT = 15;
const REST_OF_NUMBER = /[\d.eE+-]*/y;

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  let isPlain = true;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code >= ZERO && code <= NINE) continue;
    isPlain = code !== 0x2e && code !== 0x45 && code !== 0x65;
    break;
  }
  if (isPlain && end - start <= ALWAYS_EXACT) return end - 1;
  REST_OF_NUMBER.lastIndex = start;
  const [written = ""] = REST_OF_NUMBER.exec(text) ?? [];
  if (!isKept(written, isPlain))
    throw new RequestProblem(
      "REQUEST_INVALID",
      `The body has the number ${written.slice(0, 40)}, which would become ${Number(written)}. Send it as a string.`,
    );
  return start + written.length - 1;
}

/** Fractions are near what was written, as everywhere. Whole numbers are names of things: they are kept, or not taken. */
function isKept(written: string, isWhole: boolean): boolean {
  const value = Number(written);
  if (!Number.isFinite(value)) return false;
  // `9007199254740993e0` and `9007199254740993.0` are whole as well.
  if (!isWhole && Number.isInteger(value) && !Number.isSafeInteger(value))
    return digitsOf(written) === digitsOf(String(value));
  return !isWhole || String(value) === written || BigInt(value) === BigInt(written);
}

/** Of a number, however it is written. */
function digitsOf(number: string): string {
  const [digits = ""] = number.split(/e/i);
  return digits.replace(/[-.]/g, "").replace(/^0+|0+$/g, "");
}

function repeated(text: string): RequestProblem {
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === OPEN) open.push(new Set());
    else if (code === CLOSE) open.pop();
    if (code !== QUOTE) continue;
    const end = endOfString(text, at);
    const key = text.slice(at, end + 1);
    at = end;
    while (/\s/.test(text.charAt(at + 1))) at += 1;
    if (text.charCodeAt(at + 1) !== COLON) continue;
    const name = JSON.parse(key) as string;
    if (open.at(-1)?.has(name) === true)
      return new RequestProblem(
        "REQUEST_MALFORMED",
        `The body has ${JSON.stringify(name.slice(0, 60))} twice in one object.`,
      );
    open.at(-1)?.add(name);
  }
  return new RequestProblem("REQUEST_MALFORMED", "The body has a name twice in one object.");
}
