import { cleanText, hidesSomething } from "./clean-text.ts";

/** Keywords that are read and mean nothing to a validator. */
const PROSE: ReadonlySet<string> = new Set(["title", "description", "$comment"]);

export interface CleanSchema {
  schema: unknown;
  removed: number;
  /** Where hidden characters stand that cannot be taken out without changing what is meant. */
  hiddenAt?: string;
}

/**
 * A schema whose prose is clean. A name, a value or a pattern with hidden characters cannot be cleaned: it would be another one. Only
 * for schemas whose depth is known to be bounded.
 */
export function cleanSchema(schema: unknown): CleanSchema {
  const found: { removed: number; hiddenAt?: string } = { removed: 0 };
  return { schema: cleaned(schema, "", found), ...found };
}

function cleaned(part: unknown, at: string, found: { removed: number; hiddenAt?: string }): unknown {
  if (typeof part === "string") {
    if (hidesSomething(part)) found.hiddenAt ??= at;
    return part;
  }
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map((each, index) => cleaned(each, `${at}/${index}`, found));
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => {
      if (hidesSomething(key)) found.hiddenAt ??= `${at}/…`;
      if (typeof value !== "string" || !PROSE.has(key)) return [key, cleaned(value, `${at}/${key}`, found)];
      const { text, removed } = cleanText(value);
      found.removed += removed;
      return [key, text];
    }),
  );
}
