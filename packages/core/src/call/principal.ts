import { isRecord } from "../is-record.ts";
import type { About } from "../options/declare-options.ts";
import { type Declared, that } from "../options/kinds.ts";

/** Who asks. Passed through to guards, records and the tool; never interpreted by the executor. */
export interface Principal {
  id: string;
  [attribute: string]: unknown;
}

/** An option that holds a principal. */
export function principalOption<const Facts extends About<Principal>>(
  about?: Facts,
): Declared<Principal, Facts> {
  return that<Principal, Facts>('a principal with an id, such as { id: "ada" }', isPrincipal, about);
}

function isPrincipal(value: unknown): value is Principal {
  return isRecord(value) && typeof value.id === "string" && value.id.trim() !== "";
}

/**
 * Whether two are the same, however they write their name: with other spaces, signs, accents, width or case, invisible characters, or
 * letters of other alphabets that look the same. Only for refusing: two people with names that look alike count as one.
 */
export function isSamePerson(one: Principal, other: Principal): boolean {
  return foldedName(one.id) === foldedName(other.id);
}

function foldedName(id: string): string {
  const folded = id
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "")
    .replace(/[\u0370-\u052f]/g, (letter) => LOOK_ALIKES[letter] ?? letter);
  return folded === "" ? id : folded;
}

/** Letters of Greek and Cyrillic, and the Latin ones that they look like. */
const LOOK_ALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from("αaοoνvρpιiκkυuτtаaеeоoрpсcхxуyіiѕsјjһhԁdкkмmтtвbнn".matchAll(/(.)(.)/gu), ([, from, to]) => [
    from,
    to,
  ]),
);
