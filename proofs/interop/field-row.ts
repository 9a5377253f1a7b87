/** The outcome of one run: everything that anybody could see of a tool's call. */
export interface Seen {
  /** Arguments that the tool's own code got. */
  tool: unknown;
  /** Definitions and results that the model was sent. */
  model: unknown;
  /** Events that a user interface got. */
  ui: unknown;
  /** Names of events that fired, in their order. */
  events: unknown;
}

/**
 * A run that shows what becomes of some fields. It is made twice, and differs in the line that lists the tools alone: `tools` gives them
 * as they are, or as tools of a rig.
 */
export interface FieldRow<Tools> {
  /** Fields of the tables that it shows. */
  shows: readonly string[];
  /** What happens in it, if it is not plain from the fields. */
  what?: string;
  run(tools: (own: Tools) => Tools | Promise<Tools>): Promise<Seen>;
}

/** The rows of one peer. */
export interface FieldTable<Tools> {
  peer: string;
  version: string;
  /** The tables of fields: of a tool, of what it is given, of a run. */
  fields: Readonly<Record<string, Readonly<Record<string, readonly [fate: string, sentence: string]>>>>;
  rows: readonly FieldRow<Tools>[];
  /** The tools of a rig that these were registered in. */
  beneath(own: Tools): Tools | Promise<Tools>;
}
