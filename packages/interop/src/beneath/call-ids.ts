import { hashText } from "@toolrig/core/kit";

/**
 * Ids of calls within a run. Providers repeat them: a call that comes under the id of another, with other arguments, is another
 * call. The same arguments under the same id are the same call, made again.
 */
export class CallIds {
  readonly #seen = new Map<string, string[]>();

  of(id: string, args: unknown): string {
    const text = keyOf(typeof args === "string" ? args : textOf(args));
    const seen = this.#seen.get(id);
    if (seen === undefined) {
      this.#seen.set(id, [text]);
      return id;
    }
    let index = seen.indexOf(text);
    if (index < 0) index = seen.push(text) - 1;
    return index === 0 ? id : `${id}#${index + 1}`;
  }
}

/** Long arguments are not kept for as long as the run goes on. */
function keyOf(text: string): string {
  return text.length <= 100 ? text : hashText(text);
}

function textOf(args: unknown): string {
  try {
    return JSON.stringify(args) ?? "";
  } catch {
    return "";
  }
}
