import type { ExtractFamily } from "./family.ts";
import type { Input } from "./input.ts";
import type { Mark } from "./mark.ts";
import { regionMarks } from "./regions.ts";

/** A literal found in the text, with everything it may begin, in order of preference. */
export interface Hit {
  readonly at: number;
  readonly end: number;
  readonly marks: readonly Mark[];
}

interface Node {
  readonly next: Map<number, Node>;
  readonly marks: Mark[];
}

/** All literals that the scanner has to notice, as a trie: one step a character, whatever their number. */
export class Openings {
  readonly #root: Node = { next: new Map(), marks: [] };
  readonly #fences = new Map<string, Mark[]>();
  readonly #atMessage: Mark[] = [];
  readonly #reasoningEnders: string[] = [];

  constructor(families: readonly ExtractFamily[], pinned: boolean) {
    for (const [literal, mark] of regionMarks) this.#add(literal, mark);
    for (const family of families) {
      for (const opening of [...family.openings, ...(pinned ? (family.tolerates ?? []) : [])]) {
        const mark: Mark = { kind: "call", family, opening };
        if (opening.at === "fence") this.#fences.set(opening.literal, [...this.fence(opening.literal), mark]);
        else if (opening.literal === "") this.#atMessage.push(mark);
        else this.#add(opening.literal, mark);
        if (opening.endsReasoning === true) this.#reasoningEnders.push(opening.literal);
      }
    }
  }

  /** What a code fence with this info string may be. */
  fence(info: string): readonly Mark[] {
    return this.#fences.get(info) ?? [];
  }

  /** What the very beginning of a message may be, whatever it begins with. */
  get atMessage(): readonly Mark[] {
    return this.#atMessage;
  }

  /** Literals of openings that end reasoning which is never closed. */
  get reasoningEnders(): readonly string[] {
    return this.#reasoningEnders;
  }

  /**
   * The literals at the first position from `start` on where there are any, longest first. Or, if the text that is
   * there has none, the position up to which that is certain.
   */
  search(input: Input, start: number): { hits: readonly Hit[] } | { sure: number } {
    const { text } = input;
    for (let at = start; at < text.length; at++) {
      if (!this.#root.next.has(text.charCodeAt(at))) continue;
      const hits = this.#match(input, at);
      if (hits === "more") return { sure: at };
      if (hits.length > 0) return { hits };
    }
    return { sure: text.length };
  }

  #match(input: Input, at: number): Hit[] | "more" {
    const { text } = input;
    const hits: Hit[] = [];
    let node = this.#root;
    for (let to = at; ; to++) {
      if (to >= text.length) {
        if (!input.closed && node.next.size > 0) return "more";
        break;
      }
      const next = node.next.get(text.charCodeAt(to));
      if (next === undefined) break;
      node = next;
      if (node.marks.length > 0) hits.unshift({ at, end: to + 1, marks: node.marks });
    }
    return hits;
  }

  #add(literal: string, mark: Mark): void {
    let node = this.#root;
    for (let index = 0; index < literal.length; index++) {
      const code = literal.charCodeAt(index);
      let next = node.next.get(code);
      if (next === undefined) {
        next = { next: new Map(), marks: [] };
        node.next.set(code, next);
      }
      node = next;
    }
    node.marks.push(mark);
  }
}
