import {
  BACKTICK,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  isSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from "./characters.ts";
import { escapeInDoubt } from "./escape.ts";
import { DEFAULT_MAX_LENGTH, type DecodeLimits, LimitError } from "./limits.ts";
import { type DecodeMode, type Degree, lessSure, type Repair } from "./repair.ts";
import { run } from "./run.ts";
import { ANY_STRING, ARRAY, OBJECT, type SchemaHint, schemaHint } from "./schema-hint.ts";
import { ParserState } from "./state.ts";
import { NOTHING, type Survey, survey, swallowsKey } from "./strange-keys.ts";
import { parseDocument } from "./surroundings.ts";

export interface DecodeOptions {
  /** JSON Schema of the value. Decides ties only; the value is not validated. */
  schema?: unknown;
  /** False when the model was stopped before it finished: the mode is then `partial`, whatever the text. */
  complete?: boolean;
  limits?: DecodeLimits;
}

export type Decoded =
  | { ok: true; value: unknown; mode: DecodeMode; degree: Degree; repairs: Repair[] }
  | { ok: false; failure: DecodeFailure };

/** Why a text could not be read. The fields are those of a `Failure` of `@toolrig/core`. */
export interface DecodeFailure {
  kind: "validation";
  code: "TOOL_ARGUMENTS_INVALID_JSON";
  /** Written for the model that wrote the text: what is wrong, and what to send instead. */
  message: string;
  /** Reading the same text again gives the same failure. */
  retryable: false;
  /** Offset in the text at which reading failed. */
  details: { position: number };
}

/**
 * Reads the JSON a model wrote. A valid document comes back as `JSON.parse` gives it; a broken one is repaired, and
 * every change is listed. Never throws: what cannot be read is a failure that tells the model what to fix.
 */
export function decode(text: string, options: DecodeOptions = {}): Decoded {
  return decodeAs(options.schema === undefined ? undefined : schemaHint(options.schema), text, options);
}

/** The same for what is known to stand at one place of a document. */
export function decodeAs(
  hint: SchemaHint | undefined,
  text: string,
  options: Omit<DecodeOptions, "schema"> = {},
): Decoded {
  const maxLength = options.limits?.maxLength ?? DEFAULT_MAX_LENGTH;
  if (text.length > maxLength) return tooLong(text.length, maxLength);
  if (isHopeless(text)) return repair(text, hint, options);
  let value: unknown;
  try {
    value = parseQuietly(text);
  } catch {
    return repair(text, hint, options);
  }
  return hint === undefined ? strict(value, options, NOTHING) : strictly(text, value, hint, options);
}

/** A valid document, looked at with what the schema says of it. */
function strictly(text: string, value: unknown, hint: SchemaHint, options: DecodeOptions): Decoded {
  const found = survey(value, hint);
  if (found.hasOddNumbers) {
    const careful = keepDigits(text, hint, options);
    if (careful !== undefined) return careful;
  }
  if (typeof value === "string" && hint.allows(OBJECT | ARRAY) && !hint.allows(ANY_STRING))
    return decodeAgain(value, hint, options) ?? strict(value, options, found);
  return strict(value, options, found);
}

function strict(value: unknown, options: DecodeOptions, { notes }: Survey): Decoded {
  const mode = options.complete === false ? "partial" : "strict";
  let degree: Degree = mode === "partial" ? "lossy" : "exact";
  if (notes.length === 0) return { ok: true, value, mode, degree, repairs: [] };
  for (const note of notes) degree = lessSure(degree, note.degree);
  return { ok: true, value, mode, degree, repairs: [...notes] };
}

/** A valid document read once more, number by number: what it comes to if a double would have lost some of one. */
function keepDigits(text: string, hint: SchemaHint, options: DecodeOptions): Decoded | undefined {
  const state = new ParserState(text, 0, { hint, maxDepth: Number.POSITIVE_INFINITY });
  if (!run(state)) return undefined;
  if (state.inexact >= 0) return tooLarge(text, state.inexact);
  return state.repairs.has("number-text")
    ? finish(state.root, "repaired", state.repairs.toArray(state.pos), hint, options, state)
    : undefined;
}

/** How deep a stack new errors collect, where the engine can be told. */
const stacks = Error as { stackTraceLimit?: number };

/**
 * `JSON.parse`, but its error has no stack: nobody reads it, and collecting it takes longer than to repair a short
 * text. Parsing runs no other code, so nobody sees the limit changed.
 */
function parseQuietly(text: string): unknown {
  const limit = stacks.stackTraceLimit;
  if (limit === undefined) return JSON.parse(text);
  try {
    stacks.stackTraceLimit = 0;
  } catch {
    return JSON.parse(text); // It is frozen.
  }
  try {
    return JSON.parse(text);
  } finally {
    stacks.stackTraceLimit = limit;
  }
}

/**
 * Whether the first and last characters prove that a text is not JSON, so that parsing it strictly would only cost an
 * exception. False proves nothing.
 */
function isHopeless(text: string): boolean {
  let first = 0;
  let last = text.length - 1;
  while (first < last && isSpace(text.charCodeAt(first))) first++;
  while (last > first && isSpace(text.charCodeAt(last))) last--;
  const end = text.charCodeAt(last);
  switch (text.charCodeAt(first)) {
    case OPEN_BRACE:
      return end !== CLOSE_BRACE || !opensObject(text, first);
    case OPEN_BRACKET:
      return end !== CLOSE_BRACKET;
    default:
      return end === BACKTICK || end === CLOSE_BRACE;
  }
}

/** An object begins with a quoted key or is empty. */
function opensObject(text: string, brace: number): boolean {
  let next = brace + 1;
  while (next < text.length && isSpace(text.charCodeAt(next))) next++;
  const code = text.charCodeAt(next);
  return code === QUOTE || code === CLOSE_BRACE;
}

function finish(
  value: unknown,
  read: DecodeMode,
  repairs: Repair[],
  hint: SchemaHint | undefined,
  options: DecodeOptions,
  state?: ParserState,
): Decoded {
  const mode = options.complete === false ? "partial" : read;
  let degree: Degree = mode === "partial" ? "lossy" : (state?.repairs.degree ?? "exact");
  if (hint !== undefined) {
    const { notes: strange } = survey(value, hint);
    // Beside a string whose end was chosen, a key that nobody knows may be part of it, and one it holds may not.
    const inner = state?.repairs.hasInnerQuotes === true;
    if (inner && (strange.length > 0 || hint.mentioned.size === 0 || swallowsKey(value, hint))) {
      state.repairs.doubtEnds(true);
      degree = lessSure(degree, state.repairs.degree);
    }
    for (const note of strange) degree = lessSure(degree, note.degree);
    repairs.push(...strange);
  }
  return { ok: true, value, mode, degree, repairs };
}

function repair(text: string, hint: SchemaHint | undefined, options: DecodeOptions): Decoded {
  if (text.trim() === "") return decodeEmpty(text, hint, options);
  let state: ParserState | undefined;
  try {
    state = parseDocument(text, {
      hint,
      maxDepth: options.limits?.maxDepth,
      truncated: options.complete === false,
    });
  } catch (error) {
    if (error instanceof LimitError) return fail(error.message, { position: error.position });
    throw error;
  }
  if (state === undefined || isGuess(state)) return noDocument(text, hint);
  if (state.refused >= 0) return refused(text, state.refused);
  if (state.inexact >= 0) return tooLarge(text, state.inexact);
  state.repairs.doubtEnds(state.doubtful);
  const doubted = escapeInDoubt(text);
  if (doubted >= 0) state.repairs.doubtEscape(doubted, text.slice(doubted, doubted + 2));
  const mode = state.cut || state.unended ? "partial" : "repaired";
  return finish(state.root, mode, state.repairs.toArray(state.pos), hint, options, state);
}

/** All that was written inside the brackets had to be dropped: what remains says nothing. */
function isGuess(state: ParserState): boolean {
  const { root, repairs } = state;
  if (typeof root !== "object" || root === null || Object.keys(root).length > 0) return false;
  return repairs.has("unexpected-text");
}

/** No arguments at all is how several providers send a call without arguments. */
function decodeEmpty(text: string, hint: SchemaHint | undefined, options: DecodeOptions): Decoded {
  if (!hint?.allows(OBJECT)) return noDocument(text, hint);
  const empty: Repair = { kind: "empty", degree: "exact", position: 0, before: "", after: "{}" };
  return finish({}, "repaired", [empty], hint, options);
}

/** The text was a string that holds the document: decodes what is in it, if that is of a type the schema wants. */
function decodeAgain(inner: string, hint: SchemaHint, options: DecodeOptions): Decoded | undefined {
  const decoded = decodeAs(hint, inner, options);
  if (!decoded.ok || typeof decoded.value !== "object" || decoded.value === null) return undefined;
  if (!hint.allows(Array.isArray(decoded.value) ? ARRAY : OBJECT)) return undefined;
  const own: Degree = escapeInDoubt(inner) >= 0 ? "guess" : "exact";
  const note: Repair = { kind: "double-encoded", degree: own, position: 0, before: '"', after: "" };
  const mode = decoded.mode === "strict" ? "repaired" : decoded.mode;
  const degree = lessSure(decoded.degree, own);
  return { ...decoded, mode, degree, repairs: [note, ...decoded.repairs] };
}

function tooLong(length: number, maxLength: number): Decoded {
  return fail(
    `The arguments are ${length} characters long, more than the ${maxLength} that are accepted; send less.`,
    {
      position: maxLength,
    },
  );
}

function noDocument(text: string, hint: SchemaHint | undefined): Decoded {
  const wanted = hint?.demands(ARRAY) ? "JSON array" : hint?.demands(OBJECT) ? "JSON object" : "JSON value";
  const came =
    text.trim() === "" ? "nothing" : `text that begins with ${JSON.stringify(text.trim().slice(0, 40))}`;
  const message = `Expected one ${wanted} as arguments but got ${came}. Send only the ${wanted}, without prose around it.`;
  return fail(message, { position: 0 });
}

function tooLarge(text: string, position: number): Decoded {
  const [literal = ""] = /^[-+\w.]{1,80}/.exec(text.slice(position)) ?? [];
  const message = `The number ${literal} at position ${position} has more digits than a number can keep. Send one that fits, or leave it out.`;
  return fail(message, { position });
}

function refused(text: string, position: number): Decoded {
  const line = text.slice(0, position).split("\n").length;
  const column = position - text.lastIndexOf("\n", position - 1);
  const found = JSON.stringify(text.slice(position, position + 6));
  const message = `The string is not valid JSON at position ${position} (line ${line}, column ${column}): ${found}. Write a code point as \\u and four hexadecimal digits, a backslash as \\\\, and escape control characters.`;
  return fail(message, { position });
}

function fail(message: string, details: { position: number }): Decoded {
  const code = "TOOL_ARGUMENTS_INVALID_JSON";
  return { ok: false, failure: { kind: "validation", code, message, retryable: false, details } };
}
