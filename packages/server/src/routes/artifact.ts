import type { Redactor } from "@toolrig/core";
import type { ArtifactStore } from "@toolrig/core/kit";
import { RequestProblem } from "../http/problem.ts";
import { type Reply, reply } from "../http/reply.ts";
import { Recent } from "../live/recent.ts";

const ID = /^art_[0-9a-f]{40}$/;

/** Bytes that no browser shows, runs or takes for something else. */
const HEADERS = {
  "content-type": "application/octet-stream",
  "content-security-policy": "sandbox; default-src 'none'",
  "accept-ranges": "bytes",
  "cache-control": "private, no-store",
};

interface Range {
  from: number;
  /** The one after the last. */
  to: number;
}

/** Text that is larger is not masked: that takes all of it at once, and others wait meanwhile. */
const MAX_MASKED = 2 * 1024 * 1024;
/** Masked ones that are kept, for whoever reads one range after the other. */
const KEPT = 8;

export interface AskedArtifact {
  readonly id: string;
  readonly range: string | undefined;
  /** Whether text that is too large to be masked may be told. */
  readonly mayAll: boolean;
  readonly signal: AbortSignal;
}

type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Artifacts as they are told: as downloads, and text without its secrets. */
export class ShownArtifacts {
  readonly #artifacts: ArtifactStore;
  readonly #redactor: Redactor;
  readonly #masked = new Recent<Uint8Array>(KEPT);

  constructor(artifacts: ArtifactStore, redactor: Redactor) {
    this.#artifacts = artifacts;
    this.#redactor = redactor;
  }

  async answer({ id, range: asked, mayAll, signal }: AskedArtifact): Promise<Reply> {
    const kept = ID.test(id) ? await this.#artifacts.bytes(id) : undefined;
    if (kept === undefined) throw new RequestProblem("NOT_FOUND", "There is no such artifact, or no longer.");
    const { pieces, size } = await this.#shown(id, kept, mayAll);
    const headers: Record<string, string> = {
      ...HEADERS,
      "content-disposition": `attachment; filename="${id}"`,
    };
    const range = asked === undefined ? undefined : rangeOf(asked, size);
    const { from, to } = range ?? { from: 0, to: size };
    headers["content-length"] = String(to - from);
    if (range !== undefined) headers["content-range"] = `bytes ${from}-${to - 1}/${size}`;
    return reply(streamOf(pieces, { from, to }, signal), {
      status: range === undefined ? 200 : 206,
      headers,
    });
  }

  async #shown(id: string, kept: Pieces, mayAll: boolean): Promise<{ pieces: Pieces; size: number }> {
    const size = await sizeOf(this.#artifacts, id);
    if (size <= MAX_MASKED) {
      const whole = this.#masked.get(id) ?? masked(await wholeOf(kept), this.#redactor);
      this.#masked.set(id, whole);
      return { pieces: [whole], size: whole.byteLength };
    }
    if (mayAll || !(await beginsAsText(this.#artifacts, id))) return { pieces: kept, size };
    throw new RequestProblem(
      "SCOPE_MISSING",
      `It is text of ${size} bytes. What has more than ${MAX_MASKED} is sent with its secrets, to the scope "admin" alone.`,
    );
  }
}

async function wholeOf(pieces: Pieces): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

function masked(bytes: Uint8Array, redactor: Redactor): Uint8Array {
  const text = decodeUtf8(bytes);
  return text === undefined ? bytes : Buffer.from(redactor.text(text));
}

async function beginsAsText(artifacts: ArtifactStore, id: string): Promise<boolean> {
  for await (const piece of (await artifacts.bytes(id)) ?? [])
    return decodeUtf8(piece, { stream: true }) !== undefined;
  return true;
}

/** Undefined for bytes that are no UTF-8. */
function decodeUtf8(bytes: Uint8Array, options?: { stream: boolean }): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, options);
  } catch {
    return undefined;
  }
}

async function sizeOf(artifacts: ArtifactStore, id: string): Promise<number> {
  const known = (artifacts as { size?: (id: string) => number | undefined }).size?.(id);
  if (known !== undefined) return known;
  let bytes = 0;
  for await (const piece of (await artifacts.bytes(id)) ?? []) bytes += piece.byteLength;
  return bytes;
}

/** Undefined for what is not one range of bytes: all of it is sent then, as the standard has it. */
function rangeOf(text: string, size: number): Range | undefined {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(text) ?? [];
  if (first === "" && last === "") return undefined;
  const from = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  if (from < to) return { from, to };
  throw new RequestProblem("RANGE_INVALID", `It has ${size} bytes.`, {
    headers: { "content-range": `bytes */${size}` },
  });
}

function streamOf(pieces: Pieces, { from, to }: Range, signal: AbortSignal): ReadableStream<Uint8Array> {
  const wanted = partsOf(pieces, { from, to });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = signal.aborted ? { done: true as const } : await wanted.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel() {
        await wanted.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

async function* partsOf(pieces: Pieces, { from, to }: Range): AsyncGenerator<Uint8Array, undefined> {
  let at = 0;
  for await (const piece of pieces) {
    if (at >= to) return undefined;
    const part = piece.subarray(Math.max(0, from - at), Math.max(0, to - at));
    at += piece.byteLength;
    if (part.byteLength > 0) yield part;
  }
  return undefined;
}
