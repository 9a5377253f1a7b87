import { isRecord } from "@toolrig/core/kit";
import { choicesOf } from "./choices.ts";
import { References } from "./references.ts";

/** For which parts of a schema null is a value of its own. */
export class Nulls {
  readonly #references: References;
  readonly #known = new Map<string, boolean>();

  constructor(references: References) {
    this.#references = references;
  }

  takes(part: unknown): boolean {
    if (!isRecord(part)) return part !== false;
    const name = References.nameIn(part.$ref);
    if (name !== undefined && !this.#entryTakes(name)) return false;
    const takes = (each: unknown) => this.takes(each);
    if (Array.isArray(part.allOf) && !part.allOf.every(takes)) return false;
    for (const union of [part.anyOf, part.oneOf])
      if (Array.isArray(union) && !union.some(takes)) return false;
    const choices = choicesOf(part);
    if (choices !== undefined && !choices.includes(null)) return false;
    return (
      part.type === undefined ||
      part.type === "null" ||
      part.nullable === true ||
      (Array.isArray(part.type) && part.type.includes("null"))
    );
  }

  #entryTakes(name: string): boolean {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    // For as long as it is looked into: it may refer to itself.
    this.#known.set(name, false);
    const takes = this.takes(this.#references.get(name));
    this.#known.set(name, takes);
    return takes;
  }
}
