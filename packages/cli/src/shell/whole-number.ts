import { ToolrigError } from "@toolrig/core";

/** A count that was typed. Throws `OPTION_INVALID`, naming where. */
export function wholeNumber(text: string, option: string, least = 0): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count >= least) return count;
  throw new ToolrigError(
    "OPTION_INVALID",
    `${option} must be a whole number of at least ${least}; got "${text}".`,
  );
}
