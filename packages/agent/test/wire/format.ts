/** What a model says, before it is written in the way of one provider. */
export interface Said {
  reasoning?: string;
  text?: string;
  /** The provider ran a tool of its own, where it has any. */
  searched?: boolean;
  /** Arguments that are no whole JSON are cut off within. */
  calls?: readonly { id: string; name: string; arguments: string }[];
  /** The provider pauses the model's turn, where it does such a thing. */
  paused?: boolean;
  /** The answer was cut off by the length limit. */
  cut?: boolean;
  /** The answer was cut off by the provider's filter. */
  filtered?: boolean;
  /** After what was said, the stream reports this error instead of its end. */
  error?: { type: string; message: string };
  /** After what was said, the stream ends without a word. */
  breaksOff?: boolean;
  /** After what was said, the stream goes on with something that cannot be read. */
  garbled?: boolean;
  /** After what was said, the connection is reset. */
  resets?: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of six providers, looked into by the tests
export type Body = any;

/** How one provider writes what a model says. */
export interface WireFormat {
  /** Whether a request for this path is one of the provider's. */
  serves(path: string): boolean;
  /** Whether the request asks for a stream. */
  streams(path: string, body: Record<string, unknown>): boolean;
  /** What the provider would refuse of a conversation. */
  refuses(body: Body): string | undefined;
  whole(said: Said): unknown;
  frames(said: Said): string[];
}

export const sse = (data: unknown, event?: string): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

/** Text in pieces of a few characters, as models give it. */
export function pieces(text: string, size = 3): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}

/** Whether a stream of what was said has no end of its own. */
export function isBroken({ breaksOff, garbled, resets }: Said): boolean {
  return breaksOff === true || garbled === true || resets === true;
}

export const GARBLED = 'data: {"choices": [{"del\n\n';

export function isWhole(args: string): boolean {
  try {
    JSON.parse(args);
    return true;
  } catch {
    return false;
  }
}
