/** Who asks. Passed through to guards, records and the tool; never interpreted by the executor. */
export interface Principal {
  id: string;
  [attribute: string]: unknown;
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
