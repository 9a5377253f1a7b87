import { isOffline } from "../../scripts/packages/project.ts";
import type { Verdict } from "../proof.ts";

/** Steps that are tried one after the other, each told with the time it took. */
export class Trial {
  /** Where all that is made for the trial goes. */
  readonly folder: string;
  readonly #print: (line: string) => void;
  #passed = 0;
  #failed = 0;
  #skipped: string | undefined;

  constructor(folder: string, print: (line: string) => void) {
    this.folder = folder;
    this.#print = print;
  }

  /** Tries whether the registry is there at all: where it is not, what stands on it is skipped. */
  probe(name: string, work: () => Promise<string>): Promise<string | undefined> {
    return this.step(name, work, () => true);
  }

  /**
   * Tries one step; what it returns is told with it. Undefined when it failed: what stands on it cannot be tried. A step that
   * found no way to the registry counts as skipped.
   */
  async step<Seen extends string | { tell: string }>(
    name: string,
    work: () => Promise<Seen> | Seen,
    isSkipped: (error: unknown) => boolean = isOffline,
  ): Promise<Seen | undefined> {
    const began = performance.now();
    const line = (verdict: string, told: string) => {
      const seconds = ((performance.now() - began) / 1000).toFixed(1).padStart(6);
      this.#print(`${verdict} ${seconds} s  ${name}: ${told}`);
    };
    try {
      const seen = await work();
      this.#passed += 1;
      line("held", typeof seen === "string" ? seen : seen.tell);
      return seen;
    } catch (error) {
      const told = error instanceof Error ? error.message : String(error);
      if (isSkipped(error)) {
        this.#skipped ??= `the registry cannot be reached, so that "${name}" and what stands on it was not tried`;
        line("skip", told);
      } else {
        this.#failed += 1;
        line("MISS", told);
      }
      return undefined;
    }
  }

  verdict(): Verdict {
    const skipped = this.#skipped;
    return { passed: this.#passed, failed: this.#failed, ...(skipped !== undefined && { skipped }) };
  }
}
