/** A JSON Schema object as plain data. Never mutated by this package; safe to share, serialise and compare. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}
