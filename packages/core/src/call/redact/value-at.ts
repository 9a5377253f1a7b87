import { isHeader } from "./secret-keys.ts";

/** Where a value in text begins and ends, and words that stand in the place of a secret and are none. */

export interface Value {
  /** Without quotes. */
  start: number;
  end: number;
  quoted: boolean;
}

/** A quote with what escapes it, and the prefixes that Python puts before it. */
export const QUOTE = /^[bruf]?(\\{0,7})(["'`])/;

export function spanned(text: string, start: number, end: number): Value | undefined {
  const until = end === -1 ? text.length : end;
  return until > start ? { start, end: until, quoted: false } : undefined;
}

/** A list of texts, as one value; of anything else the names inside decide. */
export function listAt(text: string, start: number): Value | undefined {
  if (!/^\s{0,8}\\{0,7}["']/.test(text.slice(start, start + 20))) return undefined;
  const end = text.indexOf("]", start);
  return made(start, end === -1 ? text.length : end);
}

/** Python's longest quotes. */
export const TRIPLE = /^(?:"""|''')/;

export function quotedThrice(text: string, from: number): Value | undefined {
  const end = text.indexOf(text.slice(from, from + 3), from + 3);
  return made(from + 3, end === -1 ? text.length : end);
}

/**
 * A quote ends a value when it is escaped as the first one was: inside of JSON that is inside of a string, `\"` ends what
 * `\"` began, and `\\\"` is part of it. One that is escaped less ends the string around it.
 */
export function quotedAt(text: string, start: number, escapes: number, quote: string): Value | undefined {
  let slashes = 0;
  for (let index = start; index < text.length; index++) {
    const character = text[index];
    if (character === "\\") {
      slashes += 1;
      continue;
    }
    // Doubled, as in SQL and YAML, it is part of the value.
    if (character === quote && escapes === 0 && index > start && slashes === 0 && text[index + 1] === quote) {
      index += 1;
      continue;
    }
    if (character === quote && (slashes < escapes || (slashes - escapes) % (2 * (escapes + 1)) === 0))
      return index - slashes >= start ? made(start, index - Math.min(slashes, escapes)) : undefined;
    slashes = 0;
  }
  return made(start, text.length);
}

function made(start: number, end: number): Value | undefined {
  return end > start ? { start, end, quoted: true } : undefined;
}

/**
 * Of a header: where it does not begin a line it is in quotes, and ends with them. The name of another one ends it, too: each part
 * of a line is looked at once, however many it has.
 */
export function endOfHeader(text: string, at: number, start: number): number {
  const ends = at === 0 || /[\r\n]/.test(text.charAt(at - 1)) ? LINE_END : QUOTED_LINE_END;
  let index = start;
  while (index < text.length && !ends.has(text.charAt(index))) {
    // The line break of a string inside of JSON.
    if (text.charAt(index) === "\\" && /[nr]/.test(text.charAt(index + 1))) return index;
    if (text.charAt(index) === ":") {
      const name = NAME_BEFORE.exec(text.slice(Math.max(start, index - LONGEST_NAME), index));
      if (name !== null && isHeader(name[1] ?? "")) return index - name[0].length;
    }
    index += 1;
  }
  return index;
}

const NAME_BEFORE = /([\w.$-]{1,64})[ \t]{0,8}$/;
const LONGEST_NAME = 72;

/** Where words end that are not quoted. What one that is asked for lies within is not looked through again. */
export class WordEnds {
  #from = 0;
  #end = 0;

  after(text: string, start: number, isOption: boolean): number {
    if (start >= this.#from && start < this.#end) return this.#end;
    let index = start;
    while (index < text.length && !(isOption ? SPACE : WORD_END).has(text.charAt(index))) {
      if (text.charAt(index) === "\\" && /[nrt"']/.test(text.charAt(index + 1))) break;
      index += 1;
    }
    this.#from = start;
    this.#end = index;
    return index;
  }
}

const LINE_END = new Set("\r\n");
const QUOTED_LINE_END = new Set("\r\n\"'`");
const SPACE = new Set(" \t\r\n\"'`");
const WORD_END = new Set(" \t\r\n&;,\"'`<>{}[]()|");

/** What stands in documentation and templates: `${TOKEN}`, `<your key>`, `{{ secret }}`, `***`. */
export function isPlaceholder(word: string): boolean {
  return /^\s*(?:\$(?:[\w({]|$)|<[\w\s-]+>?$|\{\{|%[\w(]|\*+$|\.{3}$|x{3,}$|\[redacted\]|your[-_ ])/i.test(
    word,
  );
}

/** Words that code gives as constants under such names. */
export const CONSTANT =
  /^(?:include|omit|same-origin|string|text|password|token|secret|hidden|basic|bearer|none|required)$/i;
export const TYPE =
  /^(?:string|str|text|varchar|number|int|integer|bool|boolean|bytes|buffer|object|any|unknown|null|none|nil|undefined|true|false|yes|no|required|optional|missing|invalid|expired|valid|ok|set|unset|unchanged|changed|incorrect|wrong|empty|hidden|self|this|await|new|async|function|return|include|omit|Optional|Secret|SecretStr|String|Promise|Record)\b/;

/** Code that stands for a value instead of the value. */
export function isReference(word: string): boolean {
  return /^(?:process|os|env|self|this|config|cfg|settings|options|opts|ctx|context|req|request|params|args|vault|secrets|user|data|props|state|import\.meta|window|localStorage|Deno|Bun|var|local|module|each|input|inputs|github|steps|needs|matrix|runner)[.[?]/.test(
    word,
  );
}
