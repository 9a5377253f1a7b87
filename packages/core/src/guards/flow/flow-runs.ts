import type { Principal } from "../../call/principal.ts";
import { evictOldest } from "../../evict-oldest.ts";
import { RunStates } from "../run-states.ts";
import { type Answer, FoundAnswers } from "./found.ts";
import { KnownText } from "./provenance.ts";

/** A decision that what a run has read so far may be trusted after all. */
export interface Declassification {
  by: Principal;
  reason: string;
  at: number;
}

export interface RunState {
  /** What the user wrote. */
  said: KnownText;
  /** Answers that can vouch for a value. */
  found: FoundAnswers;
  /** Where untrusted text came from. */
  untrusted: string[];
  /** Where private data came from. */
  private: string[];
  declassified: Declassification[];
}

type Marks = Pick<RunState, "untrusted" | "private">;

/** How many runs are remembered by what they have read alone, once what was said in them is forgotten. */
const MAX_MARKS = 1_000_000;
/** How many characters are kept of what was said and found in all runs. */
const MAX_CHARACTERS = 32_000_000;
const MAX_SOURCES = 50;

/** What runs were told, found and read, in bounded memory. What was said may be forgotten, what was read may not. */
export class FlowRuns {
  readonly #marks = new Map<string, Marks>();
  /** Runs that are part of others. */
  readonly #joined = new Map<string, string>();
  /** How many are kept of what was said and found. */
  #characters = 0;
  readonly #runs = new RunStates<RunState>((runId) => this.#newRun(runId), {
    onForgotten: (runId, state) => this.#fade(runId, state),
  });

  of(runId: string): RunState {
    return this.#runs.of(this.#rootOf(runId));
  }

  /** Keeps the user's words. */
  said({ said }: RunState, text: string): void {
    this.#grow(said, () => said.add(text));
  }

  /** Keeps an answer that can vouch for a value. */
  found({ found }: RunState, answer: Answer): void {
    this.#grow(found, () => found.add(answer));
  }

  #grow(known: { readonly size: number }, add: () => void): void {
    const before = known.size;
    add();
    this.#characters += known.size - before;
    while (this.#characters > MAX_CHARACTERS && this.#runs.forgetOldest());
  }

  join(runId: string, into: string): void {
    const root = this.#rootOf(into);
    if (runId === "" || root === runId) return;
    this.#joined.set(runId, root);
    evictOldest(this.#joined, MAX_MARKS);
  }

  forget(runId: string): void {
    if (this.#joined.delete(runId)) return;
    this.#letGo(this.#runs.peek(runId));
    this.#runs.delete(runId);
    this.#marks.delete(runId);
  }

  #rootOf(runId: string): string {
    return this.#joined.size === 0 ? runId : (this.#joined.get(runId) ?? runId);
  }

  #letGo(run: RunState | undefined): void {
    if (run !== undefined) this.#characters -= run.said.size + run.found.size;
  }

  #newRun(runId: string): RunState {
    const { untrusted = [], private: secrets = [] } = this.#marks.get(runId) ?? {};
    this.#marks.delete(runId);
    return {
      said: new KnownText(),
      found: new FoundAnswers(),
      untrusted,
      private: secrets,
      declassified: [],
    };
  }

  /** What was said may be forgotten: then more is asked. What was read may not: then less would be. */
  #fade(runId: string, run: RunState): void {
    this.#letGo(run);
    const { untrusted, private: secrets } = run;
    if (untrusted.length === 0 && secrets.length === 0) return;
    this.#marks.set(runId, { untrusted, private: secrets });
    evictOldest(this.#marks, MAX_MARKS);
  }
}

/** Adds a source to a list of them, the latest last. */
export function note(sources: string[], source: string): void {
  const at = sources.indexOf(source);
  if (at !== -1) sources.splice(at, 1);
  sources.push(source);
  if (sources.length > MAX_SOURCES) sources.shift();
}
