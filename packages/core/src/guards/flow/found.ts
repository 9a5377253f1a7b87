/** What tools returned for the user: which of it counts as the user's choice. */
import { isPlainObject } from "../../is-record.ts";
import { yearOf } from "./dates.ts";
import { type AnswerShape, type Entry, entriesOf } from "./entries.ts";
import { fold } from "./fold.ts";
import {
  type Asked,
  type Effort,
  type KnownText,
  MAX_CHARACTERS,
  occursIn,
  wholeWords,
} from "./provenance.ts";
import { asksFor } from "./request.ts";
import { isSelected, type Selecting } from "./selection.ts";
import { wordsOf } from "./words.ts";

export interface Answer extends AnswerShape {
  readonly text: string;
  /** What the tool was asked with. Undefined: not known. */
  readonly args?: unknown;
  /** Whether its arguments are the user's choice, so that what is in no list of it counts. */
  readonly isAsked: boolean;
}

/** An answer that is kept. */
export interface Kept {
  readonly length: number;
  /** Taken apart when something is first looked for. */
  fresh: (AnswerShape & { readonly text: string }) | undefined;
  entries: readonly Entry[];
  readonly isAsked: boolean;
  /** Whether others write fields of it. */
  readonly isForeign: boolean;
  /** The words of the tool. */
  readonly words: ReadonlySet<string>;
  /** The texts that the tool was asked with. Undefined: not known. */
  readonly used: ReadonlySet<string> | undefined;
}

/** A value of a call, and what decides whether it is the user's choice. */
export interface Choice extends Asked {
  readonly effort: Effort;
  readonly said: KnownText;
  /** The words of the parameter. */
  readonly parameter: readonly string[];
  /** The name of a tool with side effects. An entry counts only for what the user asked to be done. */
  readonly acts?: string | undefined;
}

/**
 * Answers of tools. What is in no list of an answer counts as it is. An item of a list counts only if the user's words
 * select it, and of an answer with fields that others write, only what the service has assigned.
 */
export class FoundAnswers {
  readonly #answers: Kept[] = [];
  #size = 0;

  /** How many characters are kept. */
  get size(): number {
    return this.#size;
  }

  add({ name, assigned, isAsked, args, text: whole }: Answer): void {
    const text = wholeWords(whole);
    if (text === "") return;
    this.#answers.push({
      length: text.length,
      fresh: { name, assigned, text },
      entries: [],
      isAsked,
      isForeign: assigned !== undefined,
      words: new Set(wordsOf(name)),
      used: usedIn(args),
    });
    this.#size += text.length;
    while (this.#size > MAX_CHARACTERS && this.#answers.length > 1)
      this.#size -= this.#answers.shift()?.length ?? 0;
  }

  /** The years of days that are all of an answer, such as that of today. */
  get years(): ReadonlySet<string> {
    const years = new Set<string>();
    for (const kept of this.#answers) {
      const [root, ...items] = takeApart(kept);
      const [piece, ...others] = root?.pieces ?? [];
      if (piece?.vouches !== true || others.length > 0 || items.length > 0) continue;
      const year = yearOf(piece.folded);
      if (year !== undefined) years.add(year);
    }
    return years;
  }

  has(choice: Choice): boolean {
    const { said, acts, effort } = choice;
    let selecting: Selecting | undefined;
    const isChosen = (entry: Entry, kept: Kept) => {
      selecting ??= {
        said,
        requests: said.requests,
        effort,
        acts,
        foreign: this.#answers.flatMap((each) => (each.isForeign ? takeApart(each) : [])),
      };
      if (acts !== undefined && !asksFor(selecting.requests, acts)) return false;
      return isSelected(entry, kept, selecting, (other) => vouches(other, kept, choice));
    };
    return this.#answers.some((kept) =>
      takeApart(kept).some(
        (entry) =>
          vouches(entry, kept, choice) &&
          ((entry.list === undefined && kept.isAsked) || isChosen(entry, kept)),
      ),
    );
  }
}

const MAX_USED = 200;

/** The texts in plain arguments. Undefined where there may be others: the arguments themselves are not kept. */
function usedIn(args: unknown): Set<string> | undefined {
  if (!isPlainObject(args)) return undefined;
  const used = new Set<string>();
  for (const value of Object.values(args)) {
    if (typeof value === "string" && value.length <= MAX_USED) used.add(fold(value));
    else if (typeof value !== "number" && typeof value !== "boolean" && value !== undefined) return undefined;
  }
  return used;
}

function takeApart(kept: Kept): readonly Entry[] {
  if (kept.fresh !== undefined) kept.entries = entriesOf(kept.fresh.text, kept.fresh);
  kept.fresh = undefined;
  return kept.entries;
}

/** Words of fields that hold what a thing is referred to by. */
const REFERENCES: ReadonlySet<string> = new Set("id key number reference uid uuid".split(" "));

/** Whether an entry says the value where it can be believed. */
function vouches({ pieces }: Entry, { isForeign, words }: Kept, choice: Choice): boolean {
  const { parameter, effort } = choice;
  // The parameter `file` of one tool is an `id` of another that lists files.
  const isListed = parameter.some((word) => words.has(word));
  return pieces.some((piece) => {
    effort.left -= 1;
    if (!piece.vouches || effort.left < 0) return false;
    const isReference = isListed && piece.words.some((word) => REFERENCES.has(word));
    // What a service has assigned is believed as what it is: the sender of a mail is no recipient.
    if (isForeign && !isReference && !piece.words.some((word) => parameter.includes(word))) return false;
    const isNamed = isReference || piece.words.some((word) => choice.words?.has(word) === true);
    return occursIn(piece.folded, isNamed ? { ...choice, isId: false } : choice);
  });
}
