import { type Principal, validation } from "@toolrig/core";
import type { End } from "./helper/messages.ts";
import type { Command, Processes, RunningCommand } from "./processes.ts";

/** A process that outlives the call that started it. */
export interface BackgroundProcess {
  readonly id: string;
  readonly command: Command;
  readonly running: RunningCommand;
  readonly startedAt: number;
  readonly runId: string | undefined;
  /** How it ended, once it has; a text where that cannot be said. */
  end: End | string | undefined;
  /** Up to where its output has been read. */
  cursor: readonly [number, number];
}

export interface Owner {
  readonly principal: Principal | undefined;
  readonly runId: string | undefined;
}

interface Entry extends BackgroundProcess {
  readonly owner: string | undefined;
}

/** How many that have ended are remembered, with their output. */
const MAX_ENDED = 20;

/**
 * The background processes of a set of tools. Each belongs to the principal for whom it was started; others do not learn that
 * it exists.
 */
export class BackgroundTable {
  readonly #processes: Processes;
  readonly #entries = new Map<string, Entry>();
  #started = 0;
  #starting = 0;

  constructor(processes: Processes) {
    this.#processes = processes;
  }

  async start(command: Command, owner: Owner): Promise<BackgroundProcess> {
    const { maxBackground, maxOutput } = this.#processes.settings;
    const alive = this.#starting + [...this.#entries.values()].filter(({ end }) => end === undefined).length;
    if (alive >= maxBackground)
      throw validation(`${alive} background processes run already, the most there may be; stop one first.`);
    this.#starting += 1;
    try {
      const running = await this.#processes.start(command, {
        keep: { head: 0, tail: maxOutput },
        stdin: "open",
        timeoutMs: undefined,
        hold: false,
      });
      return this.#add(command, running, owner);
    } finally {
      this.#starting -= 1;
    }
  }

  /** In the order in which they were started. */
  of({ principal }: Pick<Owner, "principal">): BackgroundProcess[] {
    return [...this.#entries.values()].filter(({ owner }) => owner === principal?.id);
  }

  /** Throws a failure that names those there are. */
  get(id: string, owner: Pick<Owner, "principal">): BackgroundProcess {
    const known = this.of(owner);
    const found = known.find((each) => each.id === id);
    if (found !== undefined) return found;
    const names = known.map((each) => each.id).join(", ");
    throw validation(
      `There is no process "${id.slice(0, 60)}". ${names === "" ? "None was started." : `There is: ${names}.`}`,
    );
  }

  #add(command: Command, running: RunningCommand, { principal, runId }: Owner): BackgroundProcess {
    const entry: Entry = {
      id: `process_${++this.#started}`,
      command,
      running,
      startedAt: Date.now(),
      runId,
      owner: principal?.id,
      end: undefined,
      cursor: [0, 0],
    };
    this.#entries.set(entry.id, entry);
    const end = (how: End | string) => {
      entry.end = how;
      this.#forgetEnded();
    };
    running.ended.then(end, (error: Error) => end(error.message));
    return entry;
  }

  #forgetEnded(): void {
    const ended = [...this.#entries.values()].filter(({ end }) => end !== undefined);
    for (const { id, running } of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) {
      running.forget();
      this.#entries.delete(id);
    }
  }
}
