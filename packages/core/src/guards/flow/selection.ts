/** Which entries of an answer the user's words select: those that they name, and those of which they mean every one. */
import type { Entry, Piece } from "./entries.ts";
import { type Effort, type KnownText, occursIn } from "./provenance.ts";
import { isForAll, mentions, type Request, type Whole } from "./request.ts";
import { wordsOf } from "./words.ts";

export interface Selecting {
  readonly said: KnownText;
  readonly requests: readonly Request[];
  readonly effort: Effort;
  /** The entries of all answers with fields that others write. */
  readonly foreign: readonly Entry[];
  /** The name of a tool with side effects that the value is for. */
  readonly acts?: string | undefined;
}

/** What is known of the answer that an entry is of. */
interface Answered {
  /** Whether others write fields of it. */
  readonly isForeign: boolean;
  /** The texts that the tool was asked with. Undefined: not known. */
  readonly used: ReadonlySet<string> | undefined;
}

/** An item of a list within an item of another counts only if both are selected. `vouches` tells of the value in question. */
export function isSelected(
  entry: Entry,
  answered: Answered,
  selecting: Selecting,
  vouches: (other: Entry) => boolean,
): boolean {
  const { acts, effort } = selecting;
  const isMeant = selecting.requests.some((request) =>
    request.wholes.some(
      (whole) =>
        (acts === undefined || isForAll(whole, acts)) && isOneOf(entry, answered, whole, request, effort),
    ),
  );
  if (!isMeant && !isNamed(entry, answered, selecting, vouches)) return false;
  const outer = entry.list?.within;
  return outer?.list === undefined || isSelected(outer, answered, selecting, vouches);
}

/** The cost of a look at another value, in characters. */
const PIECE_COST = 16;

function isNamed(
  { pieces, list }: Entry,
  { isForeign, used }: Answered,
  { requests, said, effort, foreign }: Selecting,
  vouches: (other: Entry) => boolean,
): boolean {
  /** A name that another entry has as well names neither. False once the effort is used up. */
  const isOnly = (holds: (piece: Piece) => boolean) =>
    (isForeign ? foreign : (list?.items ?? [])).every((other) => {
      effort.left -= PIECE_COST * other.pieces.length;
      return effort.left >= 0 && (other.pieces === pieces || !other.pieces.some(holds) || vouches(other));
    });
  const isSaid = (name: string) =>
    said.has({ value: name, effort }) &&
    (!isForeign || requests.some((request) => mentions(request, name, effort)));
  const isQuoted = (name: string) => requests.some(({ quoted }) => quoted.has(name));
  const isCalled = pieces.some(
    ({ isName, folded }) =>
      (isName || isQuoted(folded)) && isSaid(folded) && isOnly((piece) => piece.folded === folded),
  );
  if (isCalled) return true;
  // Every item of a list may have the name by which the tool was asked.
  if (list !== undefined && used === undefined) return false;
  return requests.some(({ names }) =>
    [...names].some((name) => {
      if (list !== undefined && used?.has(name) === true) return false;
      // A part of a text that others wrote names nothing.
      const holds = (piece: Piece) => piece.vouches && occursIn(piece.folded, { value: name, effort });
      return pieces.some(holds) && isOnly(holds);
    }),
  );
}

function isOneOf(
  { pieces, list }: Entry,
  { used }: Answered,
  { things, kinds, bound, rest }: Whole,
  { names }: Request,
  effort: Effort,
): boolean {
  if (list === undefined || !things.some((word) => list.words.has(word))) return false;
  const holds = (value: string) =>
    pieces.some((piece) => piece.vouches && occursIn(piece.folded, { value, effort }));
  const asked = [...(used ?? [])];
  const isKind = (word: string) =>
    list.words.has(word) || asked.some((value) => wordsOf(value).includes(word)) || holds(word);
  if (!kinds.every(isKind)) return false;
  if (bound === "none") return true;
  if (bound === "place") return asked.some((value) => occursIn(rest, { value, effort }));
  return [...names].some((name) => occursIn(rest, { value: name, effort }) && holds(name));
}
