/**
 * Strings, quoted names, comments; what is left is words, ends of statements and the rest. What is not closed goes to the end,
 * so that nothing is looked at twice. A quote that is doubled ends a string and begins one, which comes to the same.
 */
const TOKEN =
  /'[^']*(?:'|$)|"[^"]*(?:"|$)|`[^`]*(?:`|$)|\[[^\]]*(?:\]|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|(;)|([A-Za-z_]\w*)|\s+|[\s\S]/g;
const READING: readonly string[] = ["SELECT", "WITH", "VALUES", "EXPLAIN"];

/** Why SQL is not one statement that reads. Undefined when it is. */
export function problemIn(sql: string): string | undefined {
  let first: string | undefined;
  let ended = false;
  for (const [token, end, word] of sql.matchAll(TOKEN)) {
    if (token.trim() === "" || token.startsWith("--") || token.startsWith("/*")) continue;
    if (end !== undefined) {
      ended = first !== undefined;
      continue;
    }
    if (ended) return "There is more than one statement; give one at a time.";
    first ??= (word ?? token).toUpperCase();
  }
  if (first === undefined) return "There is no statement.";
  if (READING.includes(first)) return undefined;
  if (first === "PRAGMA")
    return "PRAGMA is not run; SELECT * FROM pragma_table_info('name') and the like say the same.";
  return `Only reading is possible: ${READING.join(", ")}; got ${first.slice(0, 30)}.`;
}
