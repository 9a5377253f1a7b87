import type { Repair } from "@toolrig/json";
import { isObject } from "../is-record.ts";
import type { SchemaObject } from "../schema/normal.ts";

/** What became of a part under a subschema, and where that was. */
export interface Outcome {
  at: string;
  fixed: unknown;
  repairs: readonly Repair[];
  /** How deep it was tried, if that was too deep for all of it: further up more may come of it. */
  depth: number;
}

/** What became of parts before: branches of a union try the same ones again and again. */
export class Outcomes {
  readonly #known = new Map<object, Map<SchemaObject, Outcome>>();

  get(schema: SchemaObject, value: unknown): Outcome | undefined {
    return isObject(value) ? this.#known.get(value)?.get(schema) : undefined;
  }

  set(schema: SchemaObject, value: unknown, outcome: Outcome): void {
    if (!isObject(value)) return;
    let outcomes = this.#known.get(value);
    if (outcomes === undefined) {
      outcomes = new Map();
      this.#known.set(value, outcomes);
    }
    outcomes.set(schema, outcome);
  }
}
