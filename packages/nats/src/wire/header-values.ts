import type { Msg } from "@nats-io/transport-node";

/** Where the client keeps a message as it came: the first `hdr` bytes of `_rdata` are its headers. */
interface Raw {
  _rdata?: unknown;
  _msg?: { hdr?: number };
}

/**
 * All values of one header, by its exact name. They are looked up in the bytes that came: the client takes all headers
 * apart, which costs ten times as much. Where it keeps its messages otherwise, it is asked.
 */
export function headerValues(message: Msg, name: string): string[] {
  const { _rdata: bytes, _msg } = message as Raw;
  const length = _msg?.hdr ?? 0;
  if (!Buffer.isBuffer(bytes) || length <= 0) return message.headers?.values(name) ?? [];
  const text = bytes.toString("utf8", 0, length);
  const start = `\r\n${name}:`;
  const values: string[] = [];
  for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + start.length)) {
    const from = at + start.length;
    const end = text.indexOf("\r\n", from);
    values.push(text.slice(from, end < 0 ? undefined : end).trim());
  }
  return values;
}
