import { isCloser, isQuote, isSpace, OPEN_BRACE, OPEN_BRACKET } from "./characters.ts";
import { type Decoded, type DecodeOptions, decode } from "./decode.ts";
import { DEFAULT_MAX_LENGTH, type DecodeLimits, LimitError } from "./limits.ts";
import { NO, pastSpace, YES } from "./lookahead.ts";
import { run } from "./run.ts";
import { schemaHint } from "./schema-hint.ts";
import { DONE, ParserState, setMember, VALUE } from "./state.ts";
import { contentSoFar } from "./string.ts";
import { opensDocument } from "./surroundings.ts";
import { cutMeaning } from "./word.ts";

export interface DecodeStreamOptions {
  /** JSON Schema of the value; decides ties. */
  schema?: unknown;
  limits?: DecodeLimits;
}

export interface DecodeStream {
  /** Adds the next piece of the text, of any size. */
  push(chunk: string): void;
  /**
   * The best current value; undefined while there is none. Cheap to read: it is the value under construction, which
   * later pushes go on changing, so copy what has to stay as it is.
   */
  readonly value: unknown;
  /** What `decode` gives for everything that was pushed. `complete: false` says that the model was stopped. */
  end(options?: { complete?: boolean }): Decoded;
}

/** Decodes a text while it arrives. All pushes together take time linear in the text, however small they are. */
export function decodeStream(options: DecodeStreamOptions = {}): DecodeStream {
  const live = new LiveValue(options);
  const chunks: string[] = [];
  return {
    push(chunk) {
      chunks.push(chunk);
      live.push(chunk);
    },
    get value() {
      return live.value;
    },
    end(ending = {}) {
      return decode(chunks.join(""), { ...options, ...ending } satisfies DecodeOptions);
    },
  };
}

/** Longest word that is shown before it is known to be whole. */
const MAX_WORD = 64;
/** Text on which a step may wait and still be tried again at every push. */
const SHORT_WAIT = 256;
/** Text before the position that the readers may look back at. */
const LOOK_BACK = 256;

/**
 * The value under construction. The parser keeps its state between pushes and the text behind it is dropped. A step
 * that waits for more is tried again only when the text it waits on has doubled, so that a long wait stays linear.
 */
class LiveValue {
  private readonly state: ParserState;
  private readonly maxLength: number;
  private started = false;
  private stopped = false;
  private waiting = "";
  private enough = 0;
  /** An unfinished value stands in its place, to be taken back before the parser goes on. */
  private provisional = false;

  constructor(options: DecodeStreamOptions) {
    const limits = options.limits ?? {};
    this.state = new ParserState("", 0, { maxDepth: limits.maxDepth, hint: schemaHint(options.schema) });
    this.state.final = false;
    this.maxLength = limits.maxLength ?? DEFAULT_MAX_LENGTH;
  }

  get value(): unknown {
    return this.state.root;
  }

  push(chunk: string): void {
    if (this.stopped) return;
    this.waiting += chunk;
    if (this.waiting.length <= this.enough) return;
    const s = this.state;
    const from = this.progress();
    s.extend(Math.max(0, this.kept()), this.waiting);
    this.waiting = "";
    if (s.base + s.end > this.maxLength) this.stopped = true;
    else this.advance();
    const unread = s.base + s.end - this.progress();
    this.enough = this.progress() > from || unread <= SHORT_WAIT ? 0 : unread;
  }

  /** Absolute offset up to which everything is understood. */
  private progress(): number {
    const s = this.state;
    return s.base + (s.inString ? s.string.scan : s.pos);
  }

  private kept(): number {
    const s = this.state;
    if (!s.inString) return s.pos;
    const open = s.string;
    return Math.min(open.scan, open.reopened < 0 ? open.scan : open.cut) - LOOK_BACK;
  }

  private advance(): void {
    const s = this.state;
    if (!this.started && !this.start()) return;
    this.withdraw();
    try {
      run(s);
    } catch (error) {
      if (!(error instanceof LimitError)) throw error;
      this.stopped = true;
    }
    if (s.expect === DONE && !s.inString) this.stopped = true;
    else this.anticipate();
  }

  /** Finds where the document begins: at a bracket or quote at the start, else at a bracket that reads as JSON. */
  private start(): boolean {
    const s = this.state;
    const first = pastSpace(s, s.pos);
    if (first >= s.end) return false;
    if (s.base + s.pos === 0 || !this.inProse) {
      const code = s.text.charCodeAt(first);
      this.started = code === OPEN_BRACE || code === OPEN_BRACKET || isQuote(code);
      if (this.started) {
        s.pos = first;
        return true;
      }
      this.inProse = true;
    }
    return this.findOpener();
  }

  private inProse = false;

  private findOpener(): boolean {
    const s = this.state;
    for (; s.pos < s.end; s.pos++) {
      const code = s.text.charCodeAt(s.pos);
      if (code !== OPEN_BRACE && code !== OPEN_BRACKET) continue;
      const answer = opensDocument(s, s.pos, NO);
      this.started = answer === YES;
      if (answer !== NO) return this.started;
    }
    return false;
  }

  /** Shows the value that has only begun in its place. */
  private anticipate(): void {
    const s = this.state;
    if (s.joining || s.expect !== VALUE || (s.inString && s.string.key)) return;
    const value = s.inString ? contentSoFar(s) : this.begun();
    if (value === undefined) return;
    const top = s.top;
    if (top === undefined) s.root = value;
    else if (top.array !== undefined) top.array.push(value);
    else if (top.object !== undefined) setMember(top.object, top.key, value);
    this.provisional = true;
  }

  private withdraw(): void {
    if (this.provisional) this.state.top?.array?.pop();
    this.provisional = false;
  }

  /** What a token that the parser waits on stands for so far. */
  private begun(): unknown {
    const s = this.state;
    const word = s.text.slice(s.pos, s.pos + MAX_WORD).trim();
    const code = word.charCodeAt(0);
    return isQuote(code) || isCloser(code) || isSpace(code) || /^[,:\\/#({[]/.test(word)
      ? undefined
      : cutMeaning(word);
  }
}
