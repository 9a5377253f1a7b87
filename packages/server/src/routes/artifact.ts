import type { ArtifactStore } from "@toolrig/core/kit";
import { RequestProblem } from "../http/problem.ts";
import { reply } from "../http/reply.ts";

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

export async function artifactResponse(
  artifacts: ArtifactStore,
  id: string,
  asked: string | undefined,
  signal: AbortSignal,
): Promise<Response> {
  const pieces = ID.test(id) ? await artifacts.bytes(id) : undefined;
  if (pieces === undefined) throw new RequestProblem("NOT_FOUND", "There is no such artifact, or no longer.");
  const headers: Record<string, string> = {
    ...HEADERS,
    "content-disposition": `attachment; filename="${id}"`,
    etag: `"${id}"`,
  };
  const size = await sizeOf(artifacts, id);
  const range = asked === undefined || size === undefined ? undefined : rangeOf(asked, size);
  if (range === undefined) {
    if (size !== undefined) headers["content-length"] = String(size);
    return reply(streamOf(pieces, { from: 0, to: Number.MAX_SAFE_INTEGER }, signal), { headers });
  }
  headers["content-range"] = `bytes ${range.from}-${range.to - 1}/${size}`;
  headers["content-length"] = String(range.to - range.from);
  return reply(streamOf(pieces, range, signal), { status: 206, headers });
}

async function sizeOf(artifacts: ArtifactStore, id: string): Promise<number | undefined> {
  const { size } = artifacts as { size?: (id: string) => number | undefined };
  if (size !== undefined) return size.call(artifacts, id);
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
  throw new RequestProblem("RANGE_INVALID", `It has ${size} bytes.`);
}

function streamOf(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { from, to }: Range,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
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

async function* partsOf(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { from, to }: Range,
): AsyncGenerator<Uint8Array, undefined> {
  let at = 0;
  for await (const piece of pieces) {
    if (at >= to) return undefined;
    const part = piece.subarray(Math.max(0, from - at), Math.max(0, to - at));
    at += piece.byteLength;
    if (part.byteLength > 0) yield part;
  }
  return undefined;
}
