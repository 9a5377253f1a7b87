/** Records that wait to be written beyond which no call is begun, and how few they must be again. Far beyond that some would be lost. */
const MAX_UNRECORDED = 5_000;
const FEW_UNRECORDED = 2_500;
/** How often it is looked whether they have been written, while calls wait; how many may then begin; how long they wait at most. */
const LOOK_MS = 5;
const AT_ONCE = 500;
const PATIENCE_MS = 5_000;

/** Begins calls no faster than they can be recorded. One that has waited for five seconds begins nevertheless: what is lost is counted. */
export class Pace {
  readonly #unrecorded: () => number;
  /** In the order in which they came. */
  #waiting: { since: number; begin: () => void }[] = [];

  constructor(unrecorded: () => number) {
    this.#unrecorded = unrecorded;
  }

  /** Undefined when a call may begin at once. */
  whenRecorded(): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#unrecorded() <= MAX_UNRECORDED) return undefined;
    if (this.#waiting.length === 0) setTimeout(this.#look, LOOK_MS);
    return new Promise((begin) => {
      this.#waiting.push({ since: performance.now(), begin });
    });
  }

  readonly #look = (): void => {
    const isFree = this.#unrecorded() <= FEW_UNRECORDED;
    const latest = performance.now() - PATIENCE_MS;
    const kept = isFree ? AT_ONCE : this.#waiting.findIndex(({ since }) => since > latest);
    const begun = this.#waiting.splice(0, kept === -1 ? this.#waiting.length : kept);
    for (const { begin } of begun) begin();
    if (this.#waiting.length > 0) setTimeout(this.#look, LOOK_MS);
  };
}
