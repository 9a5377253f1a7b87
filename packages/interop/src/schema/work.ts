import type { JsonSchema } from "@toolrig/core";
import { validatorFor } from "@toolrig/core/kit";
import type { Back } from "./projected.ts";

/** How many forms of unions are tried for one value: more than anybody writes, fewer than take a second. */
const MAX_FORMS = 2_000;

/** Bounds what one way back costs: forms of unions that hold each other multiply with the depth of a value. */
export class Work {
  #left = 0;

  spend(): void {
    this.#left -= 1;
    if (this.#left < 0) throw new TooMuch();
  }

  /** A value that is too much work, or too deep, stays as it is, for validation to explain. */
  bounded(back: Back): Back {
    return (value) => {
      this.#left = MAX_FORMS;
      try {
        return back(value);
      } catch (error) {
        if (error instanceof TooMuch || error instanceof RangeError) return value;
        throw error;
      }
    };
  }
}

class TooMuch extends Error {}

/** Whether a value is known to fit. Of a schema that cannot be used nothing is known. */
export function fits(schema: JsonSchema, value: unknown): boolean {
  try {
    return validatorFor(schema, { compiled: false }).check(value);
  } catch {
    return false;
  }
}
