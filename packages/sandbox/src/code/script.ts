import type { DataLabels, ToolContext, ToolSource, Waiting } from "@toolrig/core";
import { type ArtifactStore, defined } from "@toolrig/core/kit";
import { over } from "../engine/ending.ts";
import type { Limits } from "../engine/limits.ts";
import { UNUSED } from "../engine/messages.ts";
import type { CallAnswer, CodeError, SandboxCall, SandboxLog, SandboxOutcome } from "../engine/run.ts";
import type { Sandbox } from "../engine/sandbox.ts";
import type { FailedCall, KeptScript, ScriptBook } from "./script-book.ts";
import { ScriptCalls } from "./script-calls.ts";

/** What a script needs around itself. */
export interface ScriptSetup {
  sandbox: Sandbox;
  /** Default: the sandbox's own. */
  limits?: Limits;
  /** What it may call. */
  tools: ToolSource;
  artifacts: ArtifactStore;
  book: ScriptBook;
  /** Ends what a call waits for that nobody will ask for any more. */
  giveUp(executionId: string): Promise<unknown>;
  /** What it sees besides its tools. */
  globals?: Readonly<Record<string, unknown>>;
  /** Names it in stacks. Default "script.ts". */
  filename?: string;
  /** Which code it is, where an execution may come back to another: what one waited with is not given to the other. */
  codeId?: string;
  /** Why a call is not made, besides what the pipeline says to it. */
  refuse?(call: SandboxCall): string | undefined;
  /** Default "script". */
  source?: "script" | "tool";
}

/** How one life of a script ended. */
export type ScriptEnd =
  | Exclude<SandboxOutcome, { status: "paused" | "refused" | "threw" }>
  /** `failed`: the call whose failure it did not catch, or threw again. What the script itself says of that is not believed. */
  | { status: "threw"; error: CodeError; failed?: FailedCall | undefined }
  | { status: "waiting"; waiting: Waiting }
  /** Run again after a crash, it went another way than before. */
  | { status: "diverged"; message: string };

/**
 * One life of a script: from its start, or from where it waited in an earlier one, to its end or to where it waits. Every call
 * that it makes is a child of the call whose script it is.
 */
export class Script {
  readonly log: SandboxLog[] = [];
  readonly #setup: ScriptSetup;
  readonly #context: ToolContext;
  readonly #calls: ScriptCalls;
  /** Milliseconds that preparing the code took: part of `wall`. */
  #preparedMs = 0;

  constructor(setup: ScriptSetup, context: ToolContext) {
    this.#setup = setup;
    this.#context = context;
    this.#calls = new ScriptCalls(setup, context);
  }

  /** Of all that it has read. */
  get labels(): DataLabels | undefined {
    return this.#calls.labels;
  }

  /** How many calls it has made, in all of its lives. */
  get calls(): number {
    return this.#calls.made;
  }

  /** `code` is asked for when the script starts from its beginning. Undefined when it gives none. */
  async run(code: () => Promise<string | undefined>): Promise<ScriptEnd | undefined> {
    let status = "broken";
    try {
      const outcome = await this.#begin(code);
      if (outcome === undefined) return undefined;
      const end = await this.#seeThrough(outcome);
      ({ status } = end);
      return end;
    } finally {
      if (status !== "waiting") await this.#close(status);
    }
  }

  async #begin(code: () => Promise<string | undefined>): Promise<SandboxOutcome | "waits" | undefined> {
    const { book } = this.#setup;
    const { kept, begun, begunSince } = await book.earlier();
    this.#calls.goOnFrom(kept?.labels);
    let outcome: SandboxOutcome | "waits" | undefined;
    if (kept !== undefined) outcome = await this.#takeUp(kept, begunSince);
    if (outcome === undefined) {
      const from = performance.now();
      const text = await code();
      if (text === undefined) return undefined;
      this.#preparedMs = performance.now() - from;
      this.log.length = 0;
      this.#calls.forget(begun);
      outcome = await this.#setup.sandbox.run({
        ...this.#host(),
        code: text,
        filename: this.#setup.filename ?? "script.ts",
        globals: this.#setup.globals ?? {},
        tools: this.#names(),
      });
    }
    return outcome;
  }

  get #limits(): Limits {
    return this.#setup.limits ?? this.#setup.sandbox.limits;
  }

  #names(): string[] {
    return [...new Set(this.#setup.tools.tools().map(({ name }) => name))];
  }

  #host() {
    const principal = this.#context.principal?.id;
    return {
      signal: this.#context.signal,
      limits: { ...this.#limits, wall: Math.max(1, Math.floor(this.#limits.wall - this.#preparedMs)) },
      ...defined({ principal }),
      boundTo: [this.#context.executionId, this.#setup.codeId ?? []].flat().join(" "),
      onCall: (call: SandboxCall) => this.#calls.take(call),
      onLog: (line: SandboxLog) => this.#note(line),
    };
  }

  /** The sandbox caps what one life logs; this, what all of them do. */
  #note(line: SandboxLog): void {
    const { logText, logLines } = this.#limits;
    const length = this.log.reduce((sum, { text }) => sum + text.length, 0);
    // One more than the limit: the sandbox's own remark on what it left out.
    if (length <= logText && this.log.length <= logLines) this.log.push(line);
  }

  /** Goes on with a script that waited, if something has come. Undefined when its memory is lost or cannot be used. */
  async #takeUp(kept: KeptScript, begun: readonly string[]): Promise<SandboxOutcome | "waits" | undefined> {
    const memory = await this.#setup.book.memory(kept);
    if (memory === undefined) return undefined;
    this.log.push(...kept.log);
    this.#calls.remember(kept, begun);
    const answers = await this.#calls.answers();
    if (answers.length === 0) return "waits";
    const outcome = await this.#resume(memory, answers);
    return outcome.status === "refused" ? undefined : outcome;
  }

  /** Keeps the script whenever it waits, and goes on with it when something has come. */
  async #seeThrough(first: SandboxOutcome | "waits"): Promise<ScriptEnd> {
    let outcome = first;
    while (outcome !== "waits" && outcome.status === "paused") {
      const lost = this.#calls.divergence();
      if (lost !== undefined) return { status: "diverged", message: lost };
      await this.#keep(outcome.snapshot);
      const answers = await this.#calls.answers();
      outcome = answers.length === 0 ? "waits" : await this.#resume(outcome.snapshot, answers);
    }
    if (outcome !== "waits") {
      if (outcome.status === "refused") return broken(outcome.message);
      const isOver = outcome.status === "returned" || outcome.status === "threw";
      const lost = isOver ? this.#calls.unclaimed() : undefined;
      return lost === undefined ? this.#explained(outcome) : { status: "diverged", message: lost };
    }
    const { waiting } = this.#calls;
    return waiting === undefined
      ? broken("It waits for nothing that can come.")
      : { status: "waiting", waiting };
  }

  #explained(outcome: Exclude<SandboxOutcome, { status: "paused" | "refused" }>): ScriptEnd {
    if (outcome.status === "limit" && outcome.limit === "wall")
      return { ...over("wall", this.#limits), used: outcome.used } as ScriptEnd;
    return outcome.status === "threw"
      ? { ...outcome, failed: this.#calls.failureOf(outcome.error.details?.call) }
      : outcome;
  }

  #resume(
    memory: Uint8Array,
    answers: readonly { id: number; answer: CallAnswer }[],
  ): Promise<SandboxOutcome> {
    this.#calls.answered(answers);
    return this.#setup.sandbox.resume(memory, { ...this.#host(), answers });
  }

  async #keep(memory: Uint8Array): Promise<void> {
    await this.#setup.book.keep(memory, { ...this.#calls.toKeep(), log: this.log });
  }

  /** Calls of a script that was stopped may end, for a while; those that wait are given up. */
  async #close(status: string): Promise<void> {
    await this.#calls.end();
    // A call that was cancelled may have begun to wait without a word of it: what waits is known by this call's own id.
    if (status !== "returned") await this.#setup.giveUp(this.#context.executionId).catch(() => {});
    await this.#setup.book.end(status);
  }
}

function broken(message: string): ScriptEnd {
  return { status: "broken", message, used: UNUSED };
}
