/** Changes of one thing, one after the other: who wants what the last one is about to bring waits for that one. */
export class Turns<Goal extends string> {
  #last: { goal: Goal; done: Promise<void> } | undefined;

  /** Begins at once when nothing is under way, and after a change that failed as after one that did not. */
  take(goal: Goal, change: () => Promise<void>): Promise<void> {
    const before = this.#last;
    if (before?.goal === goal) return before.done;
    const done = before === undefined ? change() : before.done.then(change, change);
    const mine = { goal, done };
    this.#last = mine;
    const over = () => {
      if (this.#last === mine) this.#last = undefined;
    };
    done.then(over, over);
    return done;
  }
}
