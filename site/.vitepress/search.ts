/**
 * The words of a page: names in code count whole and in their parts, so that both TOOL_OUTCOME_UNKNOWN and "outcome" find one.
 * Like the others it is sent to the browser as text and may use nothing from outside itself.
 */
export function wordsOfPage(text: string): string[] {
  return text.split(/[^\p{L}\p{N}_]+/u).flatMap((word) => {
    const parts = word.split(/_+/).filter((part) => part !== "");
    return parts.length > 1 ? [word, ...parts] : parts;
  });
}

/** The words of a question. A name is asked for as it is. */
export function wordsOfQuestion(text: string): string[] {
  return text.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== "");
}

/**
 * How much a part of a page counts for one of its words: codes are explained on the page of failures, and the changelog has a little of
 * everything.
 */
export function weightOfPage(address: string, word: string): number {
  if (/\/changelog(#|$)/.test(address)) return word === "changelog" ? 1 : 0.01;
  return word.includes("_") && /\/failures(#|$)/.test(address) ? 3 : 1;
}
