/** How the checksums of a log begin. */
export interface LogChecksumSeed {
  /** The byte order in which numbers were added up. */
  isBigEndian: boolean;
  sum1: number;
  sum2: number;
}

/** The checksum that SQLite gives each frame of a log, which goes on from that of the frame before. */
export class LogChecksum {
  readonly #isBigEndian: boolean;
  #sum1: number;
  #sum2: number;

  constructor({ isBigEndian, sum1, sum2 }: LogChecksumSeed) {
    this.#isBigEndian = isBigEndian;
    this.#sum1 = sum1;
    this.#sum2 = sum2;
  }

  /** A multiple of eight bytes. */
  add(bytes: Buffer): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const isLittleEndian = !this.#isBigEndian;
    let [sum1, sum2] = [this.#sum1 | 0, this.#sum2 | 0];
    for (let at = 0; at < bytes.length; at += 8) {
      sum1 = (sum1 + view.getInt32(at, isLittleEndian) + sum2) | 0;
      sum2 = (sum2 + view.getInt32(at + 4, isLittleEndian) + sum1) | 0;
    }
    this.#sum1 = sum1;
    this.#sum2 = sum2;
  }

  is(sum1: number, sum2: number): boolean {
    return this.#sum1 === (sum1 | 0) && this.#sum2 === (sum2 | 0);
  }
}
