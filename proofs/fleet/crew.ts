/** Worker processes that are kept at a number: who dies is replaced, unless it is told otherwise. */
import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";

export class Crew {
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #members = new Set<ChildProcess>();
  readonly #program: string;
  #url: string;
  #wanted = 0;
  deaths = 0;

  constructor(
    url: string,
    folder: string,
    environment: NodeJS.ProcessEnv = {},
    program = join(import.meta.dirname, "worker.ts"),
  ) {
    this.#program = program;
    this.#url = url;
    this.#folder = folder;
    this.#environment = environment;
  }

  get members(): ChildProcess[] {
    return [...this.#members];
  }

  /** Resolves when that many are at work. Those too many are drained. */
  async resize(count: number): Promise<void> {
    this.#wanted = count;
    for (const extra of this.members.slice(count)) {
      this.#members.delete(extra);
      extra.kill("SIGTERM");
    }
    await Promise.all(Array.from({ length: count - this.#members.size }, () => this.#hire()));
  }

  async dismiss(): Promise<void> {
    this.#wanted = 0;
    const ended = this.members.map((member) => new Promise((resolve) => member.once("exit", resolve)));
    for (const member of this.members) member.kill("SIGKILL");
    await Promise.all(ended);
  }

  #hire(): Promise<void> {
    const member = fork(this.#program, [this.#url, this.#folder], {
      execArgv: ["--conditions=@toolrig/source"],
      env: { ...process.env, ...this.#environment },
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    this.#members.add(member);
    member.once("exit", () => {
      if (!this.#members.delete(member)) return;
      this.deaths += 1;
      if (this.#members.size < this.#wanted) void this.#hire();
    });
    return new Promise((resolve) => {
      member.once("message", () => resolve());
      member.once("exit", () => resolve());
    });
  }
}
