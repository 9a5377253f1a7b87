/**
 * One change that was made to what the model wrote. Decoding reports `position` (offset in the text it was given),
 * coercion reports `path` (JSON Pointer into the arguments). `before` and `after` are excerpts for people, at most
 * 80 characters each.
 */
export interface Repair {
  kind: string;
  degree: Degree;
  position?: number;
  path?: string;
  before: string;
  after: string;
}

/**
 * How sure a repair is. "exact": nothing that the model wrote is lost, nothing is guessed. "guess": an end of a string, a
 * closing bracket or a value was put where it probably belongs. "lossy": something that the model wrote is gone. Tools
 * with side effects run on exact repairs only.
 */
export type Degree = "exact" | "guess" | "lossy";

/** The less sure of two. */
export function lessSure(one: Degree, other: Degree): Degree {
  if (one === "lossy" || other === "lossy") return "lossy";
  return one === "guess" ? one : other;
}

/** How faithful the decoded value is: as written, changed, or closed after the text was cut off. */
export type DecodeMode = "strict" | "repaired" | "partial";
