/** What a model says, before it is written in the way of one provider. */
export interface Said {
  reasoning?: string;
  text?: string;
  calls?: readonly { id: string; name: string; arguments: string }[];
  /** The answer was cut off by the length limit. */
  cut?: boolean;
  /** After what was said, the stream reports this error instead of its end. */
  error?: { type: string; message: string };
  /** After what was said, the connection ends without a word. */
  breaksOff?: boolean;
}

/** How one provider writes what a model says. */
export interface WireFormat {
  /** Whether a request for this path is one of the provider's. */
  serves(path: string): boolean;
  /** Whether the request asks for a stream. */
  streams(path: string, body: Record<string, unknown>): boolean;
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
