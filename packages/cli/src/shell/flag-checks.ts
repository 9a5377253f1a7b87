import { check, type OptionSet } from "@toolrig/core/kit";
import { wholeNumber } from "./whole-number.ts";

/** Throws `OPTION_INVALID`, naming the flag, for a text that is not a value of it. */
export type FlagCheck = (flag: string, text: string) => void;

/** The check of a flag that sets an option of the library: the one that the option declares. */
export function checkedAs<Table>(set: OptionSet<Table>, name: string & keyof Table): FlagCheck {
  const isNumber = set
    .rows()
    .some((row) => row.name === name && (row.kind === "count" || row.kind === "limit"));
  return (flag, text) => set.checkValue(name, isNumber && /^\d+$/.test(text) ? Number(text) : text, flag);
}

/** The check of a flag that counts. */
export function atLeast(least: number): FlagCheck {
  return (flag, text) => void wholeNumber(text, flag, least);
}

/** The check of a flag that takes an id. */
export const notEmpty: FlagCheck = (flag, text) => check.string(flag, text);
