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
