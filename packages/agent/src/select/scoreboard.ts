/** The items that have a word, by their places, and what the word adds to the score of each. */
export interface Postings {
  readonly places: Uint32Array;
  readonly impacts: Float32Array;
}

export interface Scored {
  place: number;
  score: number;
}

/**
 * Adds up the scores of one request, item by item, and gives the best. Only items that score are ever looked at, so
 * that a request costs what its words cost, not what the list does.
 */
export class Scoreboard {
  readonly #weights: Float64Array;
  readonly #scores: Float64Array;
  readonly #touched: Uint32Array;
  #count = 0;

  /** A score counts times the weight of its item, at its place. */
  constructor(weights: Float64Array) {
    this.#weights = weights;
    this.#scores = new Float64Array(weights.length);
    this.#touched = new Uint32Array(weights.length);
  }

  add({ places, impacts }: Postings, factor = 1): void {
    for (let at = 0; at < places.length; at++) this.addTo(places[at] ?? 0, (impacts[at] ?? 0) * factor);
  }

  /** `score` is above 0. */
  addTo(place: number, score: number): void {
    const before = this.#scores[place] ?? 0;
    if (before === 0) this.#touched[this.#count++] = place;
    this.#scores[place] = before + score;
  }

  /** The best `count`, best first, ties in the order of places. What weighs nothing is not among them. */
  best(count: number): Scored[] {
    const touched = this.#touched.subarray(0, this.#count);
    return count < this.#count ? this.#top(touched, count) : this.#all(touched);
  }

  clear(): void {
    for (let at = 0; at < this.#count; at++) this.#scores[this.#touched[at] ?? 0] = 0;
    this.#count = 0;
  }

  #scoreAt(place: number): number {
    return (this.#scores[place] ?? 0) * (this.#weights[place] ?? 0);
  }

  /** Keeps a short list in order: nearly everything is turned away by a look at its end. */
  #top(touched: Uint32Array, count: number): Scored[] {
    const best: Scored[] = [];
    let last: Scored | undefined;
    if (count < 1) return best;
    for (const place of touched) {
      const score = this.#scoreAt(place);
      if (score <= 0 || (last !== undefined && !comesBefore(score, place, last))) continue;
      let at = best.length;
      for (let above = best[at - 1]; above && comesBefore(score, place, above); above = best[at - 1]) {
        if (at < count) best[at] = above;
        at -= 1;
      }
      best[at] = { place, score };
      if (best.length === count) last = best[count - 1];
    }
    return best;
  }

  #all(touched: Uint32Array): Scored[] {
    return Array.from(touched, (place) => ({ place, score: this.#scoreAt(place) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || a.place - b.place);
  }
}

function comesBefore(score: number, place: number, other: Scored): boolean {
  return score > other.score || (score === other.score && place < other.place);
}
