import { defined } from "@toolrig/core/kit";
import type { Limits } from "../defence/limits.ts";
import { measure } from "../defence/measure.ts";

/** The items of a list that a server gives in pages, as it sent them: up to the page that goes beyond a limit. */
export class Pages {
  readonly items: unknown[] = [];
  readonly #limits: Limits;
  #size = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** A page that is no list has no items. */
  add(page: unknown): void {
    if (!Array.isArray(page)) return;
    for (const each of page) this.items.push(each);
    const room = this.#limits.definitions - this.#size;
    this.#size += measure(page, { size: room, depth: Number.POSITIVE_INFINITY }).size;
  }

  /** `read` adds one page and answers the cursor of the next. */
  async readAll(read: (params: { cursor?: string }) => Promise<unknown>): Promise<void> {
    const { pages, cursor: longest } = this.#limits;
    let cursor: string | undefined;
    for (let page = 0; page < pages && !this.#isFull; page++) {
      const next = await read(defined({ cursor }));
      if (typeof next !== "string" || next === cursor || next.length > longest) return;
      cursor = next;
    }
  }

  /** One item or character too many is taken, so that what is admitted of them says so. */
  get #isFull(): boolean {
    const { tools, definitions } = this.#limits;
    return this.items.length > tools || this.#size > definitions;
  }
}
