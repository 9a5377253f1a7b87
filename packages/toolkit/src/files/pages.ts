import type { FileHandle } from "node:fs/promises";
import { type Encoding, endsInside, lineEnd, unitOf, wholeCharacters } from "./encoding.ts";

/** A file that is read in parts. Counts what is read. */
export class Source {
  readonly size: number;
  bytesRead = 0;
  readonly #handle: FileHandle;
  readonly #signal: AbortSignal;

  constructor(handle: FileHandle, size: number, signal: AbortSignal) {
    this.#handle = handle;
    this.size = size;
    this.#signal = signal;
  }

  /** Fewer bytes than asked for only at the end of the file. */
  async read(offset: number, length: number): Promise<Buffer> {
    const wanted = Math.max(0, Math.min(length, this.size - offset));
    const buffer = Buffer.allocUnsafe(wanted);
    let filled = 0;
    while (filled < wanted) {
      this.#signal.throwIfAborted();
      const { bytesRead } = await this.#handle.read(buffer, filled, wanted - filled, offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    this.bytesRead += filled;
    return buffer.subarray(0, filled);
  }
}

/** A stretch of a file, whole characters only. */
export interface Page {
  readonly bytes: Buffer;
  /** Where it begins in the file. */
  readonly offset: number;
  /** Its first line and how many there are, where they were counted from the beginning. */
  readonly line?: number;
  readonly lines: number;
}

const CHUNK = 65_536;
/** Bytes of a character. */
const LONGEST = 4;

export interface PageLimits {
  /** Bytes that a page has at most. */
  readonly bytes: number;
  readonly lines: number;
}

/** From a byte on, as it lies in the file; a negative one counts from the end. */
export async function pageAt(
  source: Source,
  encoding: Encoding,
  offset: number,
  limits: PageLimits,
): Promise<Page> {
  const unit = unitOf(encoding);
  const asked = offset < 0 ? Math.max(0, source.size + offset) : offset;
  const start = asked - (asked % unit);
  const before = await source.read(Math.max(0, start - LONGEST), Math.min(start, LONGEST));
  const bytes = await source.read(start, limits.bytes);
  const { from, to } = wholeCharacters(bytes, encoding, {
    start: endsInside(before, encoding),
    end: start + bytes.length < source.size,
  });
  return { bytes: bytes.subarray(from, to), offset: start + from, lines: 0 };
}

/** From a line on, counted from 1. Everything before it is passed through and not kept. */
export async function pageOfLines(
  source: Source,
  encoding: Encoding,
  from: { line: number; offset: number },
  limits: PageLimits,
): Promise<Page> {
  let { line, offset } = { line: 1, offset: from.offset };
  while (line < from.line) {
    const chunk = await source.read(offset, CHUNK);
    if (chunk.length === 0) return { bytes: chunk, offset, line, lines: 0 };
    let at = 0;
    for (let end = lineEnd(chunk, 0, encoding); end !== -1; end = lineEnd(chunk, at, encoding)) {
      at = end;
      line += 1;
      if (line === from.line) break;
    }
    offset += line === from.line ? at : chunk.length;
  }
  return { ...(await linesFrom(source, encoding, offset, limits)), line };
}

/** The last lines, read from the end backwards. */
export async function pageOfTail(
  source: Source,
  encoding: Encoding,
  count: number,
  limits: PageLimits,
  mark: number,
): Promise<Page> {
  const unit = unitOf(encoding);
  const most = limits.bytes - (limits.bytes % unit);
  let start = source.size - (source.size % unit);
  let newlines = 0;
  let tail = Buffer.alloc(0);
  while (start > mark && tail.length < most) {
    const length = Math.min(CHUNK, start - mark, most - tail.length);
    const chunk = await source.read(start - length, length);
    start -= length;
    tail = Buffer.concat([chunk, tail]);
    newlines = countLines(tail, encoding);
    if (newlines > count) break;
  }
  const isCut = start > mark && newlines <= count;
  const skipped = skipLines(tail, encoding, isCut && newlines > 1 ? 1 : newlines - count);
  const bytes = tail.subarray(skipped);
  const { from } = wholeCharacters(bytes, encoding, { start: start > mark && skipped === 0, end: false });
  return { bytes: bytes.subarray(from), offset: start + skipped + from, lines: countLines(bytes, encoding) };
}

async function linesFrom(
  source: Source,
  encoding: Encoding,
  offset: number,
  limits: PageLimits,
): Promise<Page> {
  let bytes = Buffer.alloc(0);
  let lines = 0;
  let scanned = 0;
  while (lines < limits.lines && bytes.length < limits.bytes) {
    const chunk = await source.read(offset + bytes.length, Math.min(CHUNK, limits.bytes - bytes.length));
    if (chunk.length === 0) break;
    bytes = Buffer.concat([bytes, chunk]);
    for (let end = lineEnd(bytes, scanned, encoding); end !== -1; end = lineEnd(bytes, scanned, encoding)) {
      scanned = end;
      lines += 1;
      if (lines === limits.lines) return { bytes: bytes.subarray(0, end), offset, lines };
    }
  }
  const cut = offset + bytes.length < source.size;
  // A page ends with a line, unless there is only a part of one.
  if (cut && scanned > 0) return { bytes: bytes.subarray(0, scanned), offset, lines };
  const { to } = wholeCharacters(bytes, encoding, { start: false, end: cut });
  return { bytes: bytes.subarray(0, to), offset, lines: lines + (scanned < to ? 1 : 0) };
}

/** A last line without an end counts. */
function countLines(bytes: Buffer, encoding: Encoding): number {
  let lines = 0;
  let at = 0;
  for (let end = lineEnd(bytes, 0, encoding); end !== -1; end = lineEnd(bytes, at, encoding)) {
    at = end;
    lines += 1;
  }
  return at < bytes.length ? lines + 1 : lines;
}

function skipLines(bytes: Buffer, encoding: Encoding, count: number): number {
  let at = 0;
  for (let skipped = 0; skipped < count; skipped++) at = Math.max(at, lineEnd(bytes, at, encoding));
  return at;
}
