/** Something that a vendor's schema cannot say. */
export interface Loss {
  /** A JSON pointer into the tool's schema. */
  path: string;
  /** What is lost: a keyword, or what the schema as a whole asks. */
  what: string;
  /** What becomes of it. */
  instead: string;
}

export type Back = (value: unknown) => unknown;

/** A part of a schema as a vendor takes it, and the way back from what the model then says. */
export interface Projected {
  schema: Record<string, unknown>;
  /** Undefined where the two are the same. Never throws: what does not look as expected is left for validation to explain. */
  back: Back | undefined;
}
