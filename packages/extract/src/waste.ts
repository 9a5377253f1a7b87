/** Text read in vain may be this many times the text before it, plus a constant. */
const FACTOR = 16;
const CONSTANT = 200_000;

/** Counts what attempts cost that led nowhere, so that all of them together take time in proportion to the text. */
export class Waste {
  #characters = 0;

  /** Adds `characters` that were looked at in vain from `position` of the whole text on. True when it is too much. */
  add(characters: number, position: number): boolean {
    this.#characters += Math.max(0, characters);
    return this.#characters > CONSTANT + FACTOR * position;
  }
}
