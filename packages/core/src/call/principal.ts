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

export function isPrincipal(value: unknown): value is Principal {
  return isRecord(value) && typeof value.id === "string" && value.id !== "";
}

/** Whether two are the same, however they write their name: with other spaces, width, case or invisible characters. */
export function isSamePerson(one: Principal, other: Principal): boolean {
  return foldedName(one.id) === foldedName(other.id);
}

function foldedName(id: string): string {
  return id
    .normalize("NFKC")
    .replace(/[\p{Default_Ignorable_Code_Point}\p{White_Space}]/gu, "")
    .toLowerCase();
}
