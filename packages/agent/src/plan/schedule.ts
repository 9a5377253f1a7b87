import { RESERVED, type Step } from "./plan.ts";
import { referencesOf } from "./reference.ts";

/** A step, with what it waits for and what waits for it. */
export interface Scheduled {
  readonly step: Step;
  readonly needs: Scheduled[];
  readonly dependants: Scheduled[];
  /** How many of those it needs are not over. */
  waiting: number;
}

/** Hands out the steps of a plan, each once everything that it waits for is over. */
export class Schedule {
  readonly steps: readonly Scheduled[];
  readonly #ready: Scheduled[];

  constructor(steps: readonly Step[]) {
    this.steps = steps.map((step) => ({ step, needs: [], dependants: [], waiting: 0 }));
    const byName = new Map(this.steps.map((each) => [each.step.name, each]));
    for (const each of this.steps) {
      for (const name of dependenciesOf(each.step)) {
        const need = byName.get(name);
        if (need === undefined) continue;
        each.needs.push(need);
        each.waiting += 1;
        need.dependants.push(each);
      }
    }
    this.#ready = this.steps.filter(({ waiting }) => waiting === 0);
  }

  get hasReady(): boolean {
    return this.#ready.length > 0;
  }

  next(): Scheduled | undefined {
    return this.#ready.shift();
  }

  /** Frees the steps that waited for nothing else. */
  over({ dependants }: Scheduled): void {
    for (const each of dependants) {
      each.waiting -= 1;
      if (each.waiting === 0) this.#ready.push(each);
    }
  }
}

function dependenciesOf(step: Step): ReadonlySet<string> {
  const all = [...referencesOf(step).map(({ $from }) => $from), ...(step.after ?? [])];
  return new Set(all.filter((name) => !RESERVED.has(name)));
}
