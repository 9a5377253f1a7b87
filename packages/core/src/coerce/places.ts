import type { Path } from "../schema/evaluate.ts";
import { pointerOf } from "../schema/issues.ts";

/** Where a value may be changed: at certain places and below them. Follows the walk through the value. */
export class Places {
  readonly #at: ReadonlySet<string>;
  readonly #above = new Set<string>();
  /** Whether the part that is being looked at may be changed. */
  open: boolean;

  constructor(at: ReadonlySet<string>) {
    this.#at = at;
    this.open = at.has("");
    if (this.open) return;
    for (const place of at) {
      for (let end = place.length; end >= 0; end = place.lastIndexOf("/", end - 1)) {
        const above = place.slice(0, end);
        if (this.#above.has(above)) break;
        this.#above.add(above);
        if (end === 0) break;
      }
    }
  }

  isOpen(path: Path | undefined): boolean {
    return this.open || this.#at.has(pointerOf(path));
  }

  /** Looks at the part at `path`. A union there is open as soon as anything in it is. */
  within<T>(path: Path | undefined, isUnion: boolean, look: () => T): T {
    if (this.open) return look();
    const pointer = pointerOf(path);
    this.open = this.#at.has(pointer) || (isUnion && this.#above.has(pointer));
    const seen = look();
    this.open = false;
    return seen;
  }
}
