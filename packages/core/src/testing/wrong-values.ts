import type { OptionKind, OptionRow } from "../options/declare-options.ts";

/** Values that no option of a kind allows. Kinds with checks of their own refuse null and a symbol at least. */
const WRONG: Readonly<Record<OptionKind, readonly unknown[]>> = {
  duration: ["10 seconds", "soon", Number.NaN, Number.POSITIVE_INFINITY, -1, "-5s", true, {}, null],
  count: [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "3", true, null],
  limit: [-1, 1.5, Number.NaN, Number.NEGATIVE_INFINITY, "3", true, null],
  amount: [-1, Number.NaN, Number.POSITIVE_INFINITY, "3", true, null],
  flag: ["no", "true", 0, 1, {}, null],
  text: ["", "  ", 7, {}, [], true, null],
  string: [7, {}, [], true, null],
  choice: ["sequentially", "", "CONSTRUCTOR", 7, true, [], null],
  callback: [1, "run", {}, true, null],
  part: [7, "rig.db", {}, [], null],
  signal: [new AbortController(), true, {}, null],
  object: [7, "text", [], true, null],
  strings: ["text", [7], [null], {}, null],
  list: ["text", 7, {}, null],
  record: ["text", 7, [], null],
  group: [7, "text", [], { thereIsNoSuchOption: 1 }, null],
  other: [null, Symbol("wrong")],
  any: [],
};

/** Wrong values for an option, for a test that every declared option refuses them. */
export function wrongValues({ kind }: Pick<OptionRow, "kind">): readonly unknown[] {
  return WRONG[kind];
}
