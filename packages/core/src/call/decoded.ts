/**
 * One change that was made to what the model wrote. Decoding reports `position` (offset in the text it was given),
 * coercion reports `path` (JSON Pointer into the arguments). `before` and `after` are excerpts for people, at most
 * 80 characters each.
 */
export interface Repair {
  kind: string;
  position?: number;
  path?: string;
  before: string;
  after: string;
}

/** How faithful the decoded value is: as written, changed, or closed after the text was cut off. */
export type DecodeMode = "strict" | "repaired" | "partial";

/** How the argument text became a value, and what was changed for it. */
export interface Decoded {
  mode: DecodeMode;
  repairs: Repair[];
}

/** Read as written. */
export const STRICT: Decoded = Object.freeze({ mode: "strict", repairs: Object.freeze([]) as never });
