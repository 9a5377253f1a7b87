import type { OutputPart } from "./kept-output.ts";

/** Output as text. What was dropped is named where it stood; characters that were cut in two are left out. */
export function outputText({ before, dropped, after }: OutputPart): string {
  if (dropped === 0) return decode(Buffer.concat([before, after]));
  return `${decode(wholeEnd(before))}\n[… ${dropped} bytes left out …]\n${decode(wholeStart(after))}`;
}

/** Of a process that still runs: the last character may be on its way. Answers the text and where reading goes on. */
export function textSoFar(part: OutputPart): { text: string; next: number } {
  const last = part.after.length > 0 ? "after" : "before";
  const whole = wholeEnd(part[last]);
  const held = part[last].length - whole.length;
  return { text: outputText({ ...part, [last]: whole }), next: part.next - held };
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

function wholeStart(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start += 1;
  return bytes.subarray(start);
}

/** Without the beginning of a character whose rest is not there. */
function wholeEnd(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}
