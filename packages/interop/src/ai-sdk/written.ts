import type { CallSource } from "@toolrig/core";
import { canonicalJson, defined } from "@toolrig/core/kit";
import { decode } from "@toolrig/json";
import type { CalledPart } from "./conversation.ts";
import type { CallPart } from "./language-model.ts";

/** What a model wrote for a call, before the AI SDK made something of it. */
export interface Written {
  text: string;
  source?: CallSource;
  complete?: boolean;
  /** Results that a provider's own tools brought in the same response, which nobody else sees in time. */
  read?: readonly string[];
}

interface Kept extends Written {
  /** What the AI SDK is given in its place. */
  readable: string;
  /** How often it was written and has not been run. */
  open: number;
}

/** Calls that were written and not run: of those that never are, the latest are kept. */
const MAX_KEPT = 10_000;
/** And of those under one id. */
const MAX_SAME = 100;

/** The key of a call part's metadata, which the AI SDK keeps in its messages. */
const METADATA = "toolrig";

/**
 * What models wrote, until the AI SDK runs it. Ids of calls repeat, between runs that share the tools and within one response: what
 * was written for a call is known by what the AI SDK was given in its place.
 */
export class WrittenCalls {
  readonly #kept = new Map<string, Kept[]>();

  /**
   * Keeps what the model wrote. A call that the AI SDK can read comes back: with that text, or with what could be repaired of it.
   * Text that is not what the AI SDK reads stands in the call's metadata, too, for whoever goes on with the messages elsewhere.
   */
  add(toolCallId: string, toolName: string, written: Written, schema: unknown): CallPart {
    const { text, source } = written;
    const readable = readableOf(text, schema);
    const key = keyOf(toolCallId, toolName);
    const all = this.#kept.get(key) ?? [];
    const same = all.find((each) => each.text === text && each.source === source);
    if (same === undefined) all.push({ ...written, readable, open: 1 });
    else Object.assign(same, written, { open: same.open + 1 });
    this.#kept.delete(key);
    this.#kept.set(key, all.slice(-MAX_SAME));
    this.#dropOldest();
    const metadata = { ...(!isPlain(text, readable) && { text }), ...defined({ source }) };
    const part: CallPart = { type: "tool-call", toolCallId, toolName, input: readable };
    return Object.keys(metadata).length === 0
      ? part
      : { ...part, providerMetadata: { [METADATA]: metadata } };
  }

  /**
   * What was written for a call that the AI SDK has. Of several that look alike it is the one that needs most care. For an input
   * that is nobody's text, such as one that was refined, only the care is known that it needs.
   */
  of(toolCallId: string, toolName: string, input: unknown): Partial<Written> {
    const all = this.#kept.get(keyOf(toolCallId, toolName)) ?? [];
    const same = all.filter(({ readable }) => isSame(readable, input));
    const [first] = same;
    if (first !== undefined) return same.find(needsCare) ?? first;
    const source = all.find((each) => each.source !== undefined)?.source;
    const isGuess = all.some(
      ({ text, readable, complete }) => complete === false || !isPlain(text, readable),
    );
    const read = all.flatMap((each) => each.read ?? []);
    return { read, ...defined({ source }), ...(isGuess && { complete: false }) };
  }

  /** The AI SDK is done with a call. Of several that look alike, the one that needs care is forgotten last. */
  ran(toolCallId: string, toolName: string, input: unknown): void {
    const key = keyOf(toolCallId, toolName);
    const all = this.#kept.get(key) ?? [];
    const same = all.filter(({ readable }) => isSame(readable, input));
    const alike = same.length > 0 ? same : all;
    const kept = alike.find((each) => !needsCare(each)) ?? alike[0];
    if (kept === undefined) return;
    kept.open -= 1;
    if (kept.open === 0) all.splice(all.indexOf(kept), 1);
    if (all.length === 0) this.#kept.delete(key);
  }

  #dropOldest(): void {
    if (this.#kept.size <= MAX_KEPT) return;
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined) this.#kept.delete(oldest);
  }
}

/** What was written for a call that stands in messages, where its input is what the AI SDK was given for that text. */
export function writtenIn(part: CalledPart | undefined, schema: unknown): Partial<Written> | undefined {
  const metadata = part?.providerOptions?.[METADATA];
  if (part === undefined || metadata === undefined) return undefined;
  const { text, source } = metadata;
  const isText = typeof text === "string" && isSame(readableOf(text, schema), part.input);
  return { ...(isText && { text }), ...(source === "extracted" && { source }) };
}

function keyOf(toolCallId: string, toolName: string): string {
  return JSON.stringify([toolCallId, toolName]);
}

/** Whether a text is not plainly what the model meant. */
function needsCare({ text, readable, source, complete }: Kept): boolean {
  return !isPlain(text, readable) || source !== undefined || complete === false;
}

function isPlain(text: string, readable: string): boolean {
  return text === readable || text.trim() === "";
}

/** Whether the AI SDK can read it. No text at all is what providers send for no arguments. */
export function isReadable(text: string): boolean {
  return text.trim() === "" || parsed(text) !== undefined;
}

/** Whether a text was cut off in its midst. */
export function isCutOff(text: string, schema: unknown): boolean {
  if (isReadable(text)) return false;
  const decoded = decode(text, { schema });
  return decoded.ok && decoded.mode === "partial";
}

function readableOf(text: string, schema: unknown): string {
  if (text.trim() === "") return "{}";
  return isReadable(text) ? text : repaired(text, schema);
}

/** Vendors take nothing but objects back. */
function repaired(text: string, schema: unknown): string {
  const decoded = decode(text, { schema });
  const value = decoded.ok ? decoded.value : undefined;
  return typeof value === "object" && value !== null && !Array.isArray(value) ? JSON.stringify(value) : "{}";
}

/** Whether a value is what a text says, as the AI SDK reads it, and as a database may have put its keys. */
function isSame(text: string, value: unknown): boolean {
  try {
    return canonicalJson(parsed(text)) === canonicalJson(value);
  } catch {
    return false;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
