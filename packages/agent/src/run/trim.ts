import { type ArtifactStore, cutPlace, type MaybePromise, READ_RESULT, splitText } from "@toolrig/core/kit";
import type { Message, ToolMessage, ToolResultPart } from "../model/message.ts";
import { inTime, type PatienceOptions } from "./patience.ts";

/** How old, large results are shown. */
export interface Trimming {
  readonly keepTurns: number;
  readonly everyTurns: number;
  readonly largerThan: number;
  readonly savingAtLeast: number;
  readonly artifacts: ArtifactStore;
}

/** What a run has spared the model. Of a run that had come to its end before it is resumed, nothing: the model is not asked. */
export interface Trimmed {
  /** Results of which the model is shown a reference. */
  results: number;
  /** By how many characters the context is shorter for it. */
  characters: number;
  /** Results that are shown whole because the artifact store did not take them. */
  unkept: number;
}

/** How much of a result is shown beside the reference to it, in characters. */
const HEAD = 200;

/**
 * The transcript as the model is shown it: references in place of old, large results. What is shown changes only in steps,
 * and is the same up to its end between them, so that a provider's cache of it stays valid. Where the steps are follows from
 * the transcript alone: a run that is resumed shows what it had shown. Calls and results stay pairs.
 */
export class TrimmedView {
  readonly #trimming: Trimming;
  readonly #patience: PatienceOptions;
  #shown: Message[] = [];
  /** Where the results of each turn are. */
  readonly #turns: number[] = [];
  /** How many turns are trimmed, and how many are to be. */
  #cut = 0;
  #due = 0;
  /** Characters that cutting behind `#due` would spare. */
  #waiting = 0;
  readonly #trimmed: Trimmed = { results: 0, characters: 0, unkept: 0 };

  constructor(trimming: Trimming, patience: PatienceOptions) {
    this.#trimming = trimming;
    this.#patience = patience;
  }

  get trimmed(): Readonly<Trimmed> {
    return this.#trimmed;
  }

  add(message: Message): void {
    this.#shown.push(message);
    if (message.role !== "tool") return;
    this.#turns.push(this.#shown.length - 1);
    const { keepTurns, everyTurns, savingAtLeast } = this.#trimming;
    const old = this.#turns.length - keepTurns;
    const oldest = this.#resultsOf(old - 1);
    if (oldest === undefined) return;
    for (const part of oldest.results) this.#waiting += this.#sizeOf(part);
    if (old - this.#due < everyTurns || this.#waiting < savingAtLeast) return;
    this.#due = old;
    this.#waiting = 0;
  }

  /** What the model is shown now. The same array, growing, until the next step. */
  shown(): MaybePromise<readonly Message[]> {
    return this.#cut === this.#due ? this.#shown : this.#step();
  }

  async #step(): Promise<readonly Message[]> {
    // Another array: engines take one that they know to have grown at its end only.
    const shown = this.#shown.slice();
    for (; this.#cut < this.#due; this.#cut++) {
      const place = this.#turns[this.#cut];
      const message = this.#resultsOf(this.#cut);
      if (place === undefined || message === undefined) continue;
      const results: ToolResultPart[] = [];
      for (const part of message.results) results.push(await this.#trim(part));
      shown[place] = { ...message, results };
    }
    this.#shown = shown;
    return shown;
  }

  #resultsOf(turn: number): ToolMessage | undefined {
    const message = this.#shown[this.#turns[turn] ?? -1];
    return message?.role === "tool" ? message : undefined;
  }

  /** How many characters of a result can be left out: none of a small one. */
  #sizeOf({ content }: ToolResultPart): number {
    const { length } = splitText(content).text;
    return length > this.#trimming.largerThan ? length : 0;
  }

  /** The whole is kept under an id that follows from it, with its labels, each time a run comes by here. */
  async #trim(part: ToolResultPart): Promise<ToolResultPart> {
    if (this.#sizeOf(part) === 0) return part;
    const { text, others } = splitText(part.content);
    let id: string;
    try {
      const kept = this.#trimming.artifacts.put(text, part.labels);
      id = await inTime("The artifact store", kept, this.#patience);
    } catch (error) {
      if (this.#patience.signal.aborted) throw error;
      this.#trimmed.unkept += 1;
      return part;
    }
    const reference = referenceTo(text, id);
    this.#trimmed.results += 1;
    this.#trimmed.characters += text.length - reference.length;
    return { ...part, content: [{ type: "text", text: reference }, ...others] };
  }
}

function referenceTo(text: string, id: string): string {
  const head = text.slice(0, cutPlace(text, HEAD));
  const left = text.length - head.length;
  return `${head}\n[… ${left} of ${text.length} characters, shown before, are left out; ${READ_RESULT} reads them: id "${id}" …]`;
}
