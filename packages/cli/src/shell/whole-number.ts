import { check } from "@toolrig/core/kit";

/** A count that was typed. Throws `OPTION_INVALID`, naming where. */
export function wholeNumber(text: string, option: string, least = 0): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count >= least) return count;
  throw check.invalid(option, `a whole number of at least ${least}`, text);
}
