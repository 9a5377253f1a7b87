/** How many bytes of a stream are kept: the first `head`, and the last `tail` of what follows. */
export interface Keep {
  head: number;
  tail: number;
}

/** What is kept of a stream from some byte on. `dropped` bytes stood between `before` and `after`. */
export interface OutputPart {
  before: Uint8Array;
  dropped: number;
  after: Uint8Array;
  /** The byte behind the last: where reading goes on. */
  next: number;
}

/** A stream of any length in bounded memory: head and tail stay, what stood between them is counted. */
export class KeptOutput {
  readonly #keep: Keep;
  #head: Buffer[] = [];
  #headSize = 0;
  #tail: Buffer[] = [];
  #tailSize = 0;
  #total = 0;

  constructor(keep: Keep) {
    this.#keep = keep;
  }

  get total(): number {
    return this.#total;
  }

  add(chunk: Buffer): void {
    this.#total += chunk.length;
    const room = this.#keep.head - this.#headSize;
    const first = chunk.subarray(0, Math.max(0, room));
    if (first.length > 0) {
      this.#head = joined(this.#head, first);
      this.#headSize += first.length;
    }
    const rest = chunk.subarray(first.length);
    if (rest.length === 0) return;
    this.#tail = joined(this.#tail, rest);
    this.#tailSize += rest.length;
    // In large steps, so that each byte is copied a bounded number of times.
    if (this.#tailSize > 2 * this.#keep.tail + 65_536) this.#trim();
  }

  /** From a byte on, counted from the very first. */
  read(from = 0): OutputPart {
    this.#trim();
    const tailStart = this.#total - this.#tailSize;
    const before = Buffer.concat(this.#head).subarray(from);
    const after = Buffer.concat(this.#tail).subarray(Math.max(0, from - tailStart));
    const dropped = Math.max(0, tailStart - Math.max(from, this.#headSize));
    return { before, dropped, after, next: this.#total };
  }

  #trim(): void {
    if (this.#tailSize <= this.#keep.tail) return;
    const kept = Buffer.concat(this.#tail);
    // A copy: the part would keep the whole in memory.
    const last = Buffer.from(kept.subarray(kept.length - this.#keep.tail));
    this.#tail = [last];
    this.#tailSize = last.length;
  }
}

/** How many pieces are kept as they came: each costs more than a byte that is in it. */
const MAX_PIECES = 256;

function joined(pieces: Buffer[], piece: Buffer): Buffer[] {
  pieces.push(piece);
  return pieces.length > MAX_PIECES ? [Buffer.concat(pieces)] : pieces;
}
