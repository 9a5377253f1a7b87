/**
 * How many bytes of a subject its parts may take. A server drops a connection on which it reads a longer line than 4,096 bytes
 * (its `max_control_line`), with everything else on it. Whatever tools, callers and executions of ours may be called fits.
 */
const ROOM = {
  /** Of a tool, a caller or a worker. */
  name: 400,
  /** Of an execution; or the id of a plain call. */
  key: 2_800,
  /** The name of a large text: a key, and what tells its texts apart. */
  text: 3_000,
  /** A whole subject, and the reply that goes with it: the sizes of a message stand in the same line. */
  address: 4_000,
} as const;

/** Why a text takes too much of a subject; undefined when it fits. It may be one that grows when it is made a token. */
export function tooLong(part: keyof typeof ROOM, text: string): string | undefined {
  const most = ROOM[part];
  // A character takes at most three bytes.
  if (text.length * 3 <= most) return undefined;
  const bytes = Buffer.byteLength(text);
  return bytes <= most ? undefined : `takes ${bytes} characters of a subject, and at most ${most} fit`;
}
