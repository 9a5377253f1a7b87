/** What the user's words ask for: whom and what they name, of what they mean every one, and which actions. */
import { fold } from "./fold.ts";
import { occurrences } from "./occurrences.ts";
import type { Effort } from "./provenance.ts";
import { wordsOf } from "./words.ts";

/** The cost of a place at which a value occurs, in characters. */
const PLACE_COST = 256;

export interface Request {
  /** Names, folded: runs of capitalised words, never a part of one, and what is written like an address or a file. */
  readonly names: ReadonlySet<string>;
  /** The texts in quotes, folded. No numbers. */
  readonly quoted: ReadonlySet<string>;
  readonly wholes: readonly Whole[];
  readonly words: ReadonlySet<string>;
  /** As it was written, but for spacing. */
  readonly text: string;
}

/** Things of which every one is meant: "all open invoices", "every member of the channel general". */
export interface Whole {
  /** Words for the things, one of which must be meant. */
  readonly things: readonly string[];
  /** Words that say which of them. */
  readonly kinds: readonly string[];
  /** "place": those in a place, which `rest` names. "part": those of which `rest` says more. */
  readonly bound: "none" | "place" | "part";
  /** The words behind it, folded. */
  readonly rest: string;
  /** What is to be done with them, where a known verb says it: "list" in "list all orders, then cancel the first". */
  readonly verb?: string | undefined;
}

export function requestOf(text: string): Request {
  const spaced = text.replace(/\s+/g, " ").trim();
  return {
    names: namesIn(text),
    quoted: quotedIn(text),
    wholes: wholesIn(text),
    words: new Set(wordsIn(text)),
    text: spaced,
  };
}

/** The apostrophes of "Ann's mail and Bob's" are no quotes. */
const QUOTED = /(?<![\p{L}\p{N}])["'“‘«`]([^\n]{1,200}?)["'”’»`](?![\p{L}\p{N}])/gu;

function quotedIn(text: string): Set<string> {
  const quoted = new Set<string>();
  for (const [, inner = ""] of text.matchAll(QUOTED)) {
    if (quoted.size >= MAX_NAMES) break;
    if (/\p{L}/u.test(inner)) quoted.add(fold(inner));
  }
  return quoted;
}

const wordsIn = (text: string) => fold(text).match(/\p{L}+/gu) ?? [];

/** Capitalised for other reasons than being a name. */
const NO_NAMES: ReadonlySet<string> = new Set(
  `i ok monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
  september october november december jan feb mar apr jun jul aug sep sept oct nov dec`.split(/\s+/),
);
const NAME = /(?<![\p{L}\p{N}_@./-])\p{Lu}[\p{L}\p{M}\d'’-]*(?: \p{Lu}[\p{L}\p{M}\d'’-]*)*/gu;
const BEGINS_SENTENCE = /(?:^|[.!?:\n]["'”’)]?)\s*["'“‘(]?$/;
/** "old-budget.xlsx", "ann@firm.example", "inv-2042". */
const TOKEN = /(?<![\p{L}\p{N}_@./-])[\p{L}\p{N}][\p{L}\p{N}_@./-]{2,198}[\p{L}\p{N}](?![\p{L}\p{N}_@/-])/gu;
const NO_TOKEN = /^\d+(?:st|nd|rd|th|am|pm)$/;
const MAX_NAMES = 1_000;

/** The word that begins a sentence is capitalised anyway: it belongs to a name only if it is no verb of a request. */
function namesIn(text: string): Set<string> {
  const names = new Set<string>();
  const spaced = text.replace(/[^\S\n]+/g, " ");
  for (const { 0: run, index } of spaced.matchAll(NAME)) {
    if (names.size >= MAX_NAMES) break;
    const words = run.replace(/['’]s$/u, "").split(" ");
    const begins = BEGINS_SENTENCE.test(spaced.slice(Math.max(0, index - 8), index));
    if (begins && (words.length === 1 || VERBS.has(fold(words[0] ?? "")))) words.shift();
    const name = fold(words.join(" "));
    if (name.length > 1 && !words.every((word) => NO_NAMES.has(fold(word)))) names.add(name);
  }
  for (const [token] of fold(text).matchAll(TOKEN)) {
    if (names.size >= MAX_NAMES) break;
    if (/\p{L}/u.test(token) && /[.@_\d]/.test(token) && !NO_TOKEN.test(token)) names.add(token);
  }
  return names;
}

const CAPITALISED_BEFORE = /(?:^|[^\p{L}\p{N}])(\p{Lu}[\p{L}\p{M}'’-]*) $/u;

/**
 * Whether a text that others chose is mentioned as a name: in quotes, or capitalised where no sentence begins and not as a part of
 * a longer name. A stranger could call a thing by any everyday words, such as "the invoice".
 */
export function mentions({ names, quoted, text }: Request, folded: string, effort: Effort): boolean {
  if (names.has(folded) || quoted.has(folded)) return true;
  // "Friday" is capitalised in everybody's requests.
  if (folded.split(" ").every((word) => NO_NAMES.has(word))) return false;
  const lower = fold(text);
  // Few letters change their length; then no place is known.
  if (lower.length !== text.length) return false;
  for (const at of occurrences(lower, folded)) {
    effort.left -= PLACE_COST;
    if (effort.left < 0) return false;
    const before = text.slice(Math.max(0, at - 40), at);
    const after = text.slice(at + folded.length, at + folded.length + 2);
    if (/[\p{L}\p{N}_@./-]$/u.test(before) || /^(?:[\p{L}\p{N}_@/-]|\.[\p{L}\p{N}])/u.test(after)) continue;
    if (!/^\p{Lu}/u.test(text.slice(at, at + 2)) || BEGINS_SENTENCE.test(before)) continue;
    const previous = CAPITALISED_BEFORE.exec(before)?.[1];
    const isVerb = previous !== undefined && VERBS.has(fold(previous));
    if (/^ \p{Lu}/u.test(after) || (previous !== undefined && !isVerb)) continue;
    return true;
  }
  return false;
}

const QUANTIFIER = /(?<![\p{L}\p{N}_-])(?:all|every|each|both)(?: of)?((?: [\p{L}-]+){1,8})/gu;
const EVERYBODY = /(?<![\p{L}\p{N}_-])every(?:body|one)(?![\p{L}\p{N}_-])((?: [\p{L}-]+)?)/gu;
const PEOPLE = "attendee colleague contact employee guest member participant people person user".split(" ");
const LEADS: ReadonlySet<string> = new Set("the my our these those their its his her your".split(" "));
/** Words that begin a place. */
const PLACES: ReadonlySet<string> = new Set("of in on at".split(" "));
/** Words that begin a condition. */
const PARTS: ReadonlySet<string> = new Set(
  `about after are before but by concerning containing except for from if is like mentioning named called not regarding
  since than that titled unless until when where which who whom whose with without was were`.split(/\s+/),
);
/** Words that begin something else. */
const OTHERS: ReadonlySet<string> = new Set(
  "a an the my our your and as or into onto to under then i you it they we he she please".split(" "),
);
/** How far behind the things their condition is looked for. */
const REST = 120;

function wholesIn(text: string): Whole[] {
  const folded = fold(text);
  const wholes: Whole[] = [];
  for (const { 0: found, 1: next = "", index } of folded.matchAll(EVERYBODY)) {
    const end = index + found.length;
    wholes.push({
      things: PEOPLE,
      kinds: [],
      bound: boundBy(next.trim()),
      rest: folded.slice(end, end + REST),
      verb: verbBefore(folded, index),
    });
  }
  for (const { 0: found, 1: behind = "", index } of folded.matchAll(QUANTIFIER)) {
    const words = behind.trim().split(" ");
    while (LEADS.has(words[0] ?? "")) words.shift();
    const end = words.findIndex((word) => PLACES.has(word) || PARTS.has(word) || OTHERS.has(word));
    const run = wordsOf((end === -1 ? words : words.slice(0, end)).join(" "));
    const start = index + found.length - (end === -1 ? 0 : words.slice(end).join(" ").length);
    const bound = end === -1 ? "none" : boundBy(words[end] ?? "");
    const rest = folded.slice(start, start + REST);
    wholes.push({ things: run, kinds: run, bound, rest, verb: verbBefore(folded, index) });
  }
  return wholes.slice(0, MAX_NAMES);
}

/** The last verb before a place, in its sentence. "not" after a negation: then nothing is to be done. */
function verbBefore(folded: string, index: number): string | undefined {
  const sentence =
    folded
      .slice(Math.max(0, index - REST), index)
      .split(/[.!?;] /)
      .at(-1) ?? "";
  const words = sentence.match(/\p{L}+(?:['’]\p{L}+)?/gu) ?? [];
  const at = words.findLastIndex((word) => DOING.has(word));
  if (at === -1) return undefined;
  return words.slice(Math.max(0, at - 2), at).some((word) => /^(?:not|never|.+n['’]t)$/.test(word))
    ? "not"
    : words[at];
}

function boundBy(word: string): Whole["bound"] {
  if (PLACES.has(word)) return "place";
  return PARTS.has(word) ? "part" : "none";
}

/** The verb of a tool, and the words by which users ask for it. */
const ACTIONS: ReadonlyMap<string, readonly string[]> = new Map(
  `send: send mail email write tell message inform notify remind thank greet forward pass
  mail: send mail email write tell inform notify remind thank greet forward
  email: send mail email write tell inform notify remind thank greet forward
  message: message send write tell ask inform notify remind thank greet
  forward: forward send pass
  reply: reply answer respond write tell
  post: post publish announce write share send
  share: share give send grant
  invite: invite add include bring
  add: add include invite enter put append attach
  create: create make add set enter put open start plan schedule arrange
  book: book reserve order rent buy
  reserve: book reserve order rent
  rent: rent book reserve
  schedule: schedule plan book set arrange
  set: set make create put add
  cancel: cancel drop stop
  delete: delete remove erase
  remove: delete remove erase
  move: move reschedule put shift postpone delay file sort archive
  reschedule: move reschedule shift postpone delay
  change: change adjust update set edit move correct raise lower
  update: update adjust change set edit move correct raise lower
  rename: rename call name
  assign: assign give hand pass
  close: close resolve finish
  pay: pay transfer settle refund wire send
  transfer: pay transfer settle refund wire send
  approve: approve accept release confirm
  accept: approve accept confirm
  flag: flag mark report
  save: save store keep note add
  append: append add write
  write: write save note add`
    .split("\n")
    .map((line) => {
      const [verb = "", words = ""] = line.trim().split(": ");
      return [verb, words.split(" ")];
    }),
);
/** Verbs that say what is to be done with something. */
const DOING: ReadonlySet<string> = new Set([
  ...[...ACTIONS.values()].flat(),
  ..."ask check count find get list look read review search see show summarise summarize".split(" "),
]);
const VERBS: ReadonlySet<string> = new Set([
  ...DOING,
  ..."do please is are can could what which who when".split(" "),
]);
const PRONOUNS: ReadonlySet<string> = new Set("all both each every it them these those".split(" "));

/** The words by which users ask for a tool of this name. The first word of a name without a known verb is its verb. */
function requestsFor(tool: string): readonly string[] {
  const words = wordsOf(tool);
  const verb = words.find((word) => ACTIONS.has(word)) ?? words[0] ?? "";
  return ACTIONS.get(verb) ?? [verb];
}

/** Whether a tool of this name does what the user asked to be done. */
export function asksFor(requests: readonly Request[], tool: string): boolean {
  const wanted = requestsFor(tool);
  return requests.some((request) => wanted.some((word) => request.words.has(word)));
}

/** Whether the tool does what is to be done with every one: "pay all invoices", "look at all invoices and pay them". */
export function isForAll({ verb, rest }: Whole, tool: string): boolean {
  const wanted = requestsFor(tool);
  if (verb === undefined || wanted.includes(verb)) return true;
  const words = verb === "not" ? [] : wordsIn(rest);
  return words.some((word, index) => wanted.includes(word) && PRONOUNS.has(words[index + 1] ?? ""));
}
