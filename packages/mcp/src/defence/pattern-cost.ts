/**
 * About how long it takes to compile all regular expressions of a schema, in characters of a plain one: what is repeated is compiled
 * as often, and classes of Unicode are long lists. Only for schemas whose depth is known to be bounded.
 */
export function patternCost(schema: unknown): number {
  if (typeof schema !== "object" || schema === null) return 0;
  let cost = 0;
  for (const [key, value] of Object.entries(schema)) {
    if (key === "pattern" && typeof value === "string") cost += costOf(value);
    if (key === "patternProperties" && typeof value === "object" && value !== null)
      for (const pattern of Object.keys(value)) cost += costOf(pattern);
    cost += patternCost(value);
  }
  return cost;
}

const REPEAT = /\{(\d{1,9})(?:,(\d{0,9}))?\}/g;
const EACH = 10;
const REPEATED_PER_CHARACTER = 15;
const UNICODE_CLASS = 90;

function costOf(pattern: string): number {
  let repeats = 0;
  for (const [, least, most] of pattern.matchAll(REPEAT)) repeats += Number(most || least);
  const classes = pattern.split(/\\[pP]/).length - 1;
  return EACH + pattern.length * (1 + repeats / REPEATED_PER_CHARACTER) + classes * UNICODE_CLASS;
}
