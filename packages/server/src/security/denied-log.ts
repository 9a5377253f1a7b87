/** A request that was refused, or several alike: who came, what for, why not. Nothing of what they sent besides. */
export interface DeniedRequest {
  /** Of the first. Epoch milliseconds. */
  at: number;
  count: number;
  remote: string;
  method: string;
  /** Without the query, cut. */
  path: string;
  status: number;
  code: string;
  /** Of the token, where it was known. */
  principal?: string;
}

const EVERY_MS = 5_000;
/** Different ones in that time; more are counted together. */
const MAX_KINDS = 500;
const KEPT = 1_000;

/** Refused requests, those that are alike counted together, so that a flood of them is a line. */
export class DeniedLog {
  readonly #tell: (denied: DeniedRequest) => void;
  readonly #recent: DeniedRequest[] = [];
  #open = new Map<string, DeniedRequest>();
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (denied: DeniedRequest) => void) {
    this.#tell = tell;
  }

  add(denied: Omit<DeniedRequest, "count">): void {
    const { remote, method, status, code, principal = "" } = denied;
    const path = pathOf(denied.path);
    const isFull = this.#open.size >= MAX_KINDS;
    const key = isFull ? code : [remote, method, path, status, code, principal].join(" ");
    const known = this.#open.get(key);
    if (known !== undefined) known.count += 1;
    else this.#open.set(key, { ...denied, path, count: 1, ...(isFull && { remote: "many", path: "many" }) });
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.flush(), EVERY_MS);
    this.#timer.unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const told = [...this.#open.values()];
    this.#open = new Map();
    for (const each of told) {
      this.#recent.push(each);
      this.#tell(each);
    }
    this.#recent.splice(0, Math.max(0, this.#recent.length - KEPT));
  }

  /** The latest, newest first. */
  list(limit: number): DeniedRequest[] {
    return [...this.#recent, ...this.#open.values()].slice(-limit).reverse();
  }
}

/** Nothing that could steer a terminal or a log; ids cut, so that those who try many are one line. */
function pathOf(path: string): string {
  return path.replaceAll(/[^\x21-\x7e]/g, "?").slice(0, 60);
}
