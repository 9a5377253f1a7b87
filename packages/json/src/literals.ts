import { LimitError } from "./limits.ts";
import type { ParserState } from "./state.ts";
import { parseDocument } from "./surroundings.ts";

const MAX_LAYERS = 3;

/** The numbers of a document as they were written, by their places. The text is read when the first is asked for. */
export class Literals {
  readonly #text: string;
  #state: ParserState | undefined | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  /** The characters of the number at a place, if they say more than the number does. */
  at(keys: readonly (string | number)[], value: number): string | undefined {
    if (this.#state === null) this.#state = read(this.#text);
    const key = keys.at(-1);
    if (this.#state === undefined || key === undefined) return undefined;
    let container = this.#state.root;
    for (const each of keys.slice(0, -1))
      container = (container as Record<string, unknown> | undefined)?.[each];
    const literal = this.#state.literals?.get(container)?.get(key);
    return literal !== undefined && Number(literal) === value ? literal : undefined;
  }
}

function read(text: string, layers = 1): ParserState | undefined {
  try {
    const state = parseDocument(text, { truncated: false, literals: true });
    return typeof state?.root === "string" && layers < MAX_LAYERS ? read(state.root, layers + 1) : state;
  } catch (error) {
    if (error instanceof LimitError) return undefined;
    throw error;
  }
}
