/** What decoding accepts before it refuses. Lengths count UTF-16 code units, as `String.length` does. */
export interface DecodeLimits {
  /** Longest text that is looked at. Default 64 Mi. */
  maxLength?: number;
  /** Deepest nesting that the repairing parser builds. Default 1,000. A valid document is not measured. */
  maxDepth?: number;
}

export const DEFAULT_MAX_LENGTH = 64 * 1024 * 1024;
export const DEFAULT_MAX_DEPTH = 1_000;

/** A text that goes past a limit. The only error that `parseAt` throws; `decode` turns it into a failure. */
export class LimitError extends Error {
  readonly limit: keyof DecodeLimits;
  /** Offset in the text at which the limit was passed. */
  readonly position: number;

  constructor(limit: keyof DecodeLimits, message: string, position: number) {
    super(message);
    this.name = "LimitError";
    this.limit = limit;
    this.position = position;
  }
}
