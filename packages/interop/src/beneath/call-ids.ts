import { canonicalJson, hashText } from "@toolrig/core/kit";

/** How many ids are remembered: those of a run that goes on for so long are not repeated by chance. */
const MAX_IDS = 10_000;

/**
 * Ids of calls within a run. Providers repeat them: a call that comes under the id of another, with other arguments, is another
 * call. The same arguments under the same id are the same call, made again, also where one of them is text and the other what
 * was made of it.
 */
export class CallIds {
  /** The arguments of the first call of an id; keys of all once there was another. */
  readonly #seen = new Map<string, { first: unknown; keys: string[] | undefined }>();

  of(id: string, args: unknown): string {
    const seen = this.#seen.get(id);
    if (seen === undefined) {
      this.#seen.set(id, { first: args, keys: undefined });
      if (this.#seen.size > MAX_IDS) this.#dropOldest();
      return id;
    }
    // What is seen again most often is the very same object.
    if (seen.first === args) return id;
    seen.keys ??= [keyOf(seen.first)];
    const key = keyOf(args);
    let index = seen.keys.indexOf(key);
    if (index < 0) index = seen.keys.push(key) - 1;
    return index === 0 ? id : `${id}#${index + 1}`;
  }

  #dropOldest(): void {
    for (const oldest of this.#seen.keys()) {
      this.#seen.delete(oldest);
      return;
    }
  }
}

function keyOf(args: unknown): string {
  const text = argumentsKey(args);
  return text.length <= 100 ? text : hashText(text);
}

function argumentsKey(args: unknown): string {
  try {
    return canonicalJson(typeof args === "string" ? JSON.parse(args) : args);
  } catch {
    return String(args);
  }
}
