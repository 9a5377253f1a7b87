import { isInnocent } from "./degree.ts";
import { type Degree, lessSure, type Repair } from "./repair.ts";
import type { RepairKind } from "./repair-kinds.ts";

const LISTED = 1_000;
const EXCERPT = 80;

/** What was changed in a text, and how sure that is. Past the first thousand only their number is kept. */
export class RepairList {
  #listed: Repair[] = [];
  #unlisted = 0;
  #degree: Degree = "exact";
  /** A quote inside a string was taken for content. */
  hasInnerQuotes = false;

  /** Of the least sure repair. */
  get degree(): Degree {
    return this.#degree;
  }

  has(kind: RepairKind): boolean {
    return this.#listed.some((repair) => repair.kind === kind);
  }

  add(kind: RepairKind, position: number, before: string, after: string, degree: Degree): void {
    if (degree !== "exact") this.#degree = lessSure(this.#degree, degree);
    if (this.#listed.length >= LISTED) this.#unlisted++;
    else this.#listed.push({ kind, degree, position, before: excerpt(before), after: excerpt(after) });
  }

  /** Turns the repair of this kind that was added last into a guess. */
  doubtLast(kind: RepairKind): void {
    this.#degree = lessSure(this.#degree, "guess");
    const last = this.#unlisted > 0 ? undefined : this.#listed.findLast((repair) => repair.kind === kind);
    if (last !== undefined) last.degree = lessSure(last.degree, "guess");
  }

  /** Lists an escape that JSON knows as a guess. */
  doubtEscape(position: number, written: string): void {
    if (this.has("escape")) this.doubtLast("escape");
    else this.add("escape", position, written, written, "guess");
  }

  /** Puts what stands before in the text before what is listed. */
  precede(before: RepairList): void {
    this.#listed = [...before.#listed, ...this.#listed];
    this.#degree = lessSure(before.#degree, this.#degree);
  }

  /**
   * Where a string's end was chosen among several quotes and something else is odd, it may have been the wrong one. What
   * is odd may also be something that only the caller knows.
   */
  doubtEnds(odd = false): void {
    if (!this.hasInnerQuotes || !(odd || this.#isOdd())) return;
    this.#degree = lessSure(this.#degree, "guess");
    for (const repair of this.#listed) if (repair.kind === "unescaped-quote") repair.degree = "guess";
  }

  /** Nobody has looked at what is not listed. */
  #isOdd(): boolean {
    return this.#unlisted > 0 || this.#listed.some(({ kind }) => !isInnocent(kind));
  }

  /** All of them, the rest counted in one item at `end`. */
  toArray(end: number): Repair[] {
    if (this.#unlisted === 0) return this.#listed;
    const before = `${this.#unlisted} more changes that are not listed`;
    return [...this.#listed, { kind: "unlisted", degree: this.#degree, position: end, before, after: "" }];
  }
}

function excerpt(text: string): string {
  return text.length <= EXCERPT ? text : `${text.slice(0, EXCERPT - 1)}…`;
}
