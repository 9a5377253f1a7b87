import { failure } from "@toolrig/core";

export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "latin1";

export interface Detected {
  readonly encoding: Encoding;
  /** Bytes of the mark at the beginning, which is no part of the text. */
  readonly mark: number;
}

/** Bytes that are looked at to tell text from anything else. */
export const SAMPLE = 8_192;

/** Undefined: there is a NUL in it, so it is no text. */
export function detect(head: Uint8Array): Detected | undefined {
  const [a, b, c] = head;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: "utf-8", mark: 3 };
  if (a === 0xff && b === 0xfe) return { encoding: "utf-16le", mark: 2 };
  if (a === 0xfe && b === 0xff) return { encoding: "utf-16be", mark: 2 };
  return head.subarray(0, SAMPLE).includes(0) ? undefined : { encoding: "utf-8", mark: 0 };
}

/** Text of bytes. What the encoding does not know becomes U+FFFD. */
export function decodeBytes(bytes: Uint8Array, encoding: Encoding): string {
  if (encoding === "latin1")
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  return new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
}

/** As `decodeBytes`, and a failure where writing the text again would not give the same bytes. */
export function decodeExactly(bytes: Uint8Array, encoding: Encoding, shown: string): string {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw failure(`${shown} is not valid ${encoding}, so it cannot be edited without loss.`);
  }
}

export function encodeText(text: string, encoding: Encoding): Buffer {
  if (encoding === "utf-8" || encoding === "latin1") return Buffer.from(text, encoding);
  const bytes = Buffer.from(text, "utf16le");
  return encoding === "utf-16be" ? bytes.swap16() : bytes;
}

/** Bytes of a line's end. */
export function unitOf(encoding: Encoding): 1 | 2 {
  return encoding === "utf-16le" || encoding === "utf-16be" ? 2 : 1;
}

/** The byte behind the next line's end, or -1. `bytes` begins with a whole character. */
export function lineEnd(bytes: Buffer, from: number, encoding: Encoding): number {
  if (unitOf(encoding) === 1) return bytes.indexOf(10, from) + 1 || -1;
  const low = encoding === "utf-16le" ? 0 : 1;
  for (let at = bytes.indexOf(10, from); at !== -1; at = bytes.indexOf(10, at + 1)) {
    if (at % 2 === low && bytes[low === 0 ? at + 1 : at - 1] === 0) return at - low + 2;
  }
  return -1;
}

/** Moves a cut so that no character is cut: back for an end, forward for a beginning. */
export function wholeCharacters(
  bytes: Buffer,
  encoding: Encoding,
  ends: { start: boolean; end: boolean },
): { from: number; to: number } {
  let [from, to] = [0, bytes.length];
  if (encoding === "utf-8") {
    while (ends.start && from < 3 && from < to && isContinuation(bytes[from])) from += 1;
    if (ends.end) to -= unfinished(bytes);
  } else if (unitOf(encoding) === 2) {
    if (ends.end) to -= to % 2;
    const unit = (at: number) => (encoding === "utf-16le" ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
    if (ends.start && to >= 2 && unit(0) >> 10 === LOW_HALF) from = 2;
    if (ends.end && to - from >= 2 && unit(to - 2) >> 10 === HIGH_HALF) to -= 2;
  }
  return { from, to: Math.max(from, to) };
}

/** Whether a character begins in these bytes and goes on behind them. */
export function endsInside(bytes: Buffer, encoding: Encoding): boolean {
  return wholeCharacters(bytes, encoding, { start: false, end: true }).to < bytes.length;
}

/** How the two halves of a pair begin, in six bits. */
const HIGH_HALF = 0xd800 >> 10;
const LOW_HALF = 0xdc00 >> 10;

function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}

/** How many bytes at the end belong to a character that goes on behind it. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return wanted > back ? back : 0;
  }
  return 0;
}
