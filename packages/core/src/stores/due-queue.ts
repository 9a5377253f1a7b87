/** So many old times stay in the heap, whatever else is in it. */
const SPARE = 1_000;

/** Names by the time at which they are due: a heap. Old times of what was rescheduled are left in it until they are most of it. */
export class DueQueue {
  readonly #at = new Map<string, number>();
  #heap: { id: string; at: number }[] = [];

  /** Due at a time, in the place of the one it had; never, when that is undefined. */
  set(id: string, at: number | undefined): void {
    if (this.#at.get(id) === at) return;
    if (at === undefined) this.#at.delete(id);
    else {
      this.#at.set(id, at);
      this.#push({ id, at });
    }
    if (this.#heap.length > 2 * this.#at.size + SPARE) this.#rebuild();
  }

  /** Those that are due, the most overdue first. They stay until they are set to another time. */
  until(now: number, limit: number): string[] {
    const due: { id: string; at: number }[] = [];
    while (due.length < limit) {
      const first = this.#heap[0];
      if (first === undefined || first.at > now) break;
      this.#pop();
      if (this.#at.get(first.id) === first.at && !due.some(({ id }) => id === first.id)) due.push(first);
    }
    for (const each of due) this.#push(each);
    return due.map(({ id }) => id);
  }

  /** What is in order is a heap. */
  #rebuild(): void {
    this.#heap = Array.from(this.#at, ([id, at]) => ({ id, at })).sort((a, b) => a.at - b.at);
  }

  #push(entry: { id: string; at: number }): void {
    const heap = this.#heap;
    let place = heap.push(entry) - 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (this.#time(above) <= entry.at) break;
      this.#swap(place, above);
      place = above;
    }
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    for (let place = 0; ; ) {
      const left = 2 * place + 1;
      const below = this.#time(left + 1) < this.#time(left) ? left + 1 : left;
      if (this.#time(below) >= last.at) return;
      this.#swap(place, below);
      place = below;
    }
  }

  #time(place: number): number {
    return this.#heap[place]?.at ?? Number.POSITIVE_INFINITY;
  }

  #swap(one: number, other: number): void {
    const heap = this.#heap;
    const [first, second] = [heap[one], heap[other]];
    if (first === undefined || second === undefined) return;
    heap[one] = second;
    heap[other] = first;
  }
}
