import { canonicalJson, hashText } from "@toolrig/core/kit";

/**
 * Ids of calls within a run. Providers repeat them: a call that comes under the id of another, with other arguments, is another
 * call. The same arguments under the same id are the same call, made again, also where one of them is text and the other what
 * was made of it.
 */
export class CallIds {
  readonly #seen = new Map<string, string[]>();

  of(id: string, args: unknown): string {
    const key = keyOf(args);
    const seen = this.#seen.get(id);
    if (seen === undefined) {
      this.#seen.set(id, [key]);
      return id;
    }
    let index = seen.indexOf(key);
    if (index < 0) index = seen.push(key) - 1;
    return index === 0 ? id : `${id}#${index + 1}`;
  }
}

/** Long arguments are not kept for as long as the run goes on. */
function keyOf(args: unknown): string {
  const text = textOf(args);
  return text.length <= 100 ? text : hashText(text);
}

function textOf(args: unknown): string {
  try {
    return canonicalJson(typeof args === "string" ? JSON.parse(args) : args);
  } catch {
    return String(args);
  }
}
