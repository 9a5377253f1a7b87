/**
 * What a person types, as an FTS5 query over the texts: all words must occur, "in quotes" in that order, and `wor*`
 * matches any ending. Nothing a person can type is a syntax error. Undefined when there is no word in it.
 */
export function searchText(typed: string, tags: readonly string[] = []): string | undefined {
  const terms = [...typed.matchAll(/"([^"]*)"?(\*?)|(\S+)/g)].flatMap(([, quoted, star, word = ""]) => {
    const prefix = quoted === undefined ? word.endsWith("*") : star === "*";
    const text = (quoted ?? word).replaceAll('"', " ").replaceAll("*", " ").trim();
    return /[\p{L}\p{N}]/u.test(text) ? [`"${text}"${prefix ? " *" : ""}`] : [];
  });
  if (terms.length === 0) return undefined;
  const words = `text : (${terms.join(" ")})`;
  return tags.length === 0 ? words : `${words} AND tags : (${tags.map((tag) => `"${tag}"`).join(" ")})`;
}

/** The tool and the kind of a record as tags, which let the index itself narrow a search down to them. */
export function tagsOf(tool: string | undefined, kind: string | undefined): string[] {
  const plain = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
  return [plain(tool ?? ""), kind === undefined ? "" : `kind ${plain(kind)}`].filter((tag) => tag !== "");
}

/** The tags that a record is put into the index with. */
export function indexTags(tool: string, kind: string): string {
  return [...tagsOf(tool, kind), ...(kind === "ok" ? [] : tagsOf(undefined, "error"))].join(" ");
}
