import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("./payer-main.ts", import.meta.url));

/** A process of its own that has a store open and pays as it is told. */
export class Payer {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  }

  static async start(path: string): Promise<Payer> {
    const args = ["--conditions=@toolrig/source", "--no-warnings", MAIN, path];
    const payer = new Payer(spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] }));
    await payer.#answer();
    return payer;
  }

  /** Pays exec_FROM up to, not with, exec_TO. Resolves with the codes that came, "paid" for success. */
  async pay(from: number, to: number): Promise<string> {
    this.#child.stdin!.write(`pay ${from} ${to}\n`);
    return this.#answer();
  }

  stop(): void {
    this.#child.kill("SIGSTOP");
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }

  async close(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.stdin!.write("close\n");
    await this.#answer();
    this.#child.stdin!.end();
    await ended;
  }

  async #answer(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error("The payer ended.");
    return value;
  }
}

/** How often each execution was paid, for those that were paid more than once. */
export function paidTwice(path: string): string[] {
  const paid = readFileSync(`${path}.world`, "utf8").trim().split("\n");
  return paid.filter((id, index) => paid.indexOf(id) !== index);
}
