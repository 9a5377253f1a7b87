import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { failure } from "@toolrig/core";
import { detect } from "../files/encoding.ts";

export interface Body {
  bytes: Buffer;
  /** Whether there was more than is taken. */
  cut: boolean;
}

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** What is asked for: what can be read. Not deflate, which is two formats by one name. */
export const ACCEPTED_ENCODINGS = "gzip, br";

/** Reads up to `most` bytes, counted as they are when unpacked: what would unpack to more is not unpacked. */
export async function readBody(stream: Readable, encoding: string, most: number): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of unpacked(stream, encoding)) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > most) break;
    }
  } finally {
    stream.destroy();
  }
  return { bytes: Buffer.concat(chunks).subarray(0, most), cut: size > most };
}

/** An answer without a body, such as that to HEAD, may say how the body that it does not have is packed. */
async function* unpacked(stream: Readable, encoding: string): AsyncGenerator<Buffer> {
  const packed: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
  const first = await packed.next();
  if (first.done === true) return;
  const decoder = decoderOf(encoding);
  const whole = startingWith(first.value, packed);
  if (decoder === undefined) yield* whole;
  // An error of either comes out of the reading.
  else yield* pipeline(whole, decoder, () => {}) as unknown as AsyncIterable<Buffer>;
}

async function* startingWith(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}

function decoderOf(encoding: string): NodeJS.ReadWriteStream | undefined {
  const names = encoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  // Nobody packs twice but to hide something.
  if (names.length > 1) throw failure(`The answer is packed ${names.length} times, which is not read.`);
  const [name] = names;
  if (name === undefined) return undefined;
  const decoder = Object.hasOwn(DECODERS, name) ? DECODERS[name]?.() : undefined;
  if (decoder === undefined)
    throw failure(`The answer is packed as "${name.slice(0, 20)}", which is not read.`);
  return decoder;
}

/** The text of a body: in the encoding of its byte order mark, else in the character set that was declared, else in UTF-8. */
export function textOfBody(bytes: Uint8Array, contentType: string): string {
  const marked = detect(bytes.subarray(0, 3));
  if (marked !== undefined && marked.mark > 0) return decoderFor(marked.encoding).decode(bytes);
  const declared = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1];
  const html = declared === undefined && contentType.includes("html");
  return decoderFor(html ? metaCharset(bytes) : declared).decode(bytes);
}

function metaCharset(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 1_024)).toString("latin1");
  return /<meta[^>]{0,200}charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(start)?.[1];
}

function decoderFor(label: string | undefined): TextDecoder {
  try {
    return new TextDecoder(label ?? "utf-8");
  } catch {
    return new TextDecoder("utf-8");
  }
}
