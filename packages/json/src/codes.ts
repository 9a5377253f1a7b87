const encoder = new TextEncoder();
const SPARE = 32_768;
let spare: Uint8Array | undefined;

/**
 * The characters of a text as bytes, which are several times cheaper to look at than those of a string. What is not
 * ASCII is some byte above 127; a zero follows the last character. Good until the next call: short texts share one
 * array.
 */
export function codesOf(text: string): Uint8Array {
  spare ??= new Uint8Array(SPARE);
  let codes = text.length < SPARE ? spare : new Uint8Array(text.length + 1);
  let { read, written } = encoder.encodeInto(text, codes);
  if (read < text.length) {
    codes = new Uint8Array(3 * text.length + 1);
    written = encoder.encodeInto(text, codes).written;
  }
  if (written > text.length) shrink(codes, written);
  codes[text.length] = 0;
  return codes;
}

/** Leaves one byte of UTF-8 for every UTF-16 code unit, so that offsets are those of the text. */
function shrink(codes: Uint8Array, written: number): void {
  let to = 0;
  for (let i = 0; i < written; i++) {
    const byte = codes[i]!;
    if (byte >= 0x80 && byte < 0xc0) continue;
    codes[to++] = byte;
    if (byte < 0xf0) continue;
    codes[to++] = byte;
    i += 3;
  }
}
