import type { DataLabels, ToolContext, ToolResult, ToolSource, Waiting } from "@toolrig/core";
import {
  type ArtifactStore,
  canonicalJson,
  defined,
  HeldCall,
  hashText,
  hasSideEffects,
  isWaiting,
  joinLabels,
} from "@toolrig/core/kit";
import { over } from "../engine/ending.ts";
import type { Limits } from "../engine/limits.ts";
import { UNUSED } from "../engine/messages.ts";
import type { CallAnswer, CodeError, SandboxCall, SandboxLog, SandboxOutcome } from "../engine/run.ts";
import type { Sandbox } from "../engine/sandbox.ts";
import { callAnswer } from "./call-answer.ts";
import type { FailedCall, KeptScript, PendingCall, ScriptBook } from "./script-book.ts";

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

/** A call that the sandbox waits for, and what it waits for itself. */
interface Open extends PendingCall {
  readonly held: HeldCall;
  /** Of a script that is held: resolves with the result. */
  pending?: Promise<ToolResult>;
}

/**
 * One life of a script: from its start, or from where it waited in an earlier one, to its end or to where it waits. Every call
 * that it makes is a child of the call whose script it is.
 */
export class Script {
  readonly log: SandboxLog[] = [];
  /** Of all that it has read. */
  labels: DataLabels | undefined;
  /** How many it has made, in all of its lives. */
  calls = 0;
  readonly #setup: ScriptSetup;
  readonly #context: ToolContext;
  #earlierLabels: DataLabels | undefined;
  #counts = new Map<string, number>();
  #open = new Map<number, Open>();
  /** By their ids in the sandbox. */
  #failures = new Map<unknown, FailedCall>();
  #out = new Set<Promise<unknown>>();
  #stopped = new AbortController();
  #unclaimed = new Set<string>();
  /** Milliseconds that preparing the code took: part of `wall`. */
  #preparedMs = 0;

  constructor(setup: ScriptSetup, context: ToolContext) {
    this.#setup = setup;
    this.#context = context;
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
    this.labels = this.#earlierLabels = kept?.labels;
    let outcome: SandboxOutcome | "waits" | undefined;
    if (kept !== undefined) outcome = await this.#takeUp(kept, begunSince);
    if (outcome === undefined) {
      const from = performance.now();
      const text = await code();
      if (text === undefined) return undefined;
      this.#preparedMs = performance.now() - from;
      this.#forget(begun);
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
      onCall: (call: SandboxCall) =>
        this.#seen(this.#take(call).then((answer) => this.#told(call.id, answer))),
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
    this.#remember(kept, begun);
    const answers = await this.#answers();
    if (answers.length === 0) return "waits";
    const outcome = await this.#resume(memory, answers);
    return outcome.status === "refused" ? undefined : outcome;
  }

  #remember(kept: KeptScript, begun: readonly string[]): void {
    this.log.push(...kept.log);
    this.calls = kept.calls;
    this.#counts = new Map(kept.counts);
    this.#open = new Map(kept.pending.map((each) => [each.id, { ...each, held: new HeldCall() }]));
    this.#failures = new Map(kept.failures);
    this.#unclaimed = new Set([...kept.unclaimed, ...begun]);
  }

  /** From its beginning: what it did is in the ledger, and it has to come to that again. */
  #forget(begun: readonly string[]): void {
    this.log.length = 0;
    this.calls = 0;
    this.#counts.clear();
    this.#open.clear();
    this.#failures.clear();
    this.#unclaimed = new Set(begun);
  }

  /** Keeps the script whenever it waits, and goes on with it when something has come. */
  async #seeThrough(first: SandboxOutcome | "waits"): Promise<ScriptEnd> {
    let outcome = first;
    while (outcome !== "waits" && outcome.status === "paused") {
      const lost = this.#divergence();
      if (lost !== undefined) return { status: "diverged", message: lost };
      await this.#keep(outcome.snapshot);
      const answers = await this.#answers();
      outcome = answers.length === 0 ? "waits" : await this.#resume(outcome.snapshot, answers);
    }
    if (outcome !== "waits") {
      if (outcome.status === "refused") return broken(outcome.message);
      const isOver = outcome.status === "returned" || outcome.status === "threw";
      return isOver && this.#unclaimed.size > 0
        ? { status: "diverged", message: this.#elsewhere() }
        : this.#explained(outcome);
    }
    const open = [...this.#open.values()].sort((one, other) => one.id - other.id);
    const waiting = open.find(({ held }) => held.waiting !== undefined)?.held.waiting;
    return waiting === undefined
      ? broken("It waits for nothing that can come.")
      : { status: "waiting", waiting };
  }

  #explained(outcome: Exclude<SandboxOutcome, { status: "paused" | "refused" }>): ScriptEnd {
    if (outcome.status === "limit" && outcome.limit === "wall")
      return { ...over("wall", this.#limits), used: outcome.used } as ScriptEnd;
    return outcome.status === "threw"
      ? { ...outcome, failed: this.#failures.get(outcome.error.details?.call) }
      : outcome;
  }

  #resume(
    memory: Uint8Array,
    answers: readonly { id: number; answer: CallAnswer }[],
  ): Promise<SandboxOutcome> {
    for (const { id } of answers) this.#open.delete(id);
    return this.#setup.sandbox.resume(memory, { ...this.#host(), answers });
  }

  async #keep(memory: Uint8Array): Promise<void> {
    // Whoever goes on with it may have seen nothing of its run.
    const labels = joinLabels(this.labels, this.#context.read);
    const pending = [...this.#open.values()].map(({ id, name, args, nth, heldBack }) => ({
      ...{ id, name, args, nth },
      ...(heldBack === true && { heldBack }),
    }));
    await this.#setup.book.keep(memory, {
      pending,
      calls: this.calls,
      counts: [...this.#counts],
      failures: [...this.#failures] as KeptScript["failures"],
      log: this.log,
      ...defined({ labels }),
      unclaimed: [...this.#unclaimed],
    });
  }

  /** A script that is stopped has to know what its calls came to. */
  #seen(answer: Promise<CallAnswer>): Promise<CallAnswer> {
    this.#out.add(answer);
    const over = () => void this.#out.delete(answer);
    answer.then(over, over);
    return answer;
  }

  /** The error of a failed call names the call. */
  #told(id: number, answer: CallAnswer): CallAnswer {
    if (answer.status !== "failed") return answer;
    const { tool, code } = answer.error as Partial<FailedCall>;
    if (tool !== undefined && code !== undefined) this.#failures.set(id, { tool, code });
    return { status: "failed", error: { ...answer.error, call: id } };
  }

  /** A call of the script, as it makes it. */
  async #take({ id, name, args }: SandboxCall): Promise<CallAnswer> {
    const refusal = this.#setup.refuse?.({ id, name, args });
    if (refusal !== undefined) return refused(name, refusal);
    const key = keyOf(name, args);
    const nth = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, nth);
    const call: Open = { id, name, args, nth, held: new HeldCall() };
    const effect = `${key}.${nth}`;
    if (this.#changes(name) && !this.#unclaimed.delete(effect)) {
      if (this.#unclaimed.size > 0) {
        this.#open.set(id, { ...call, heldBack: true });
        return { status: "waiting" };
      }
      const unwritten = await this.#write(effect, name);
      if (unwritten !== undefined) return unwritten;
    }
    this.calls += 1;
    return this.#make(call);
  }

  #changes(name: string): boolean {
    const tool = this.#setup.tools.get(name);
    return tool === undefined || hasSideEffects(tool.safety);
  }

  /** Written before the call is made: a script that is run again has to come to it again before it changes anything else. */
  async #write(effect: string, name: string): Promise<CallAnswer | undefined> {
    try {
      await this.#setup.book.begins(effect, name);
      return undefined;
    } catch {
      const message = `${name} was not called: that it would be could not be written down.`;
      const error = { name: "ToolError", tool: name, message, code: "TOOL_UNAVAILABLE", kind: "unavailable" };
      return { status: "failed", error };
    }
  }

  async #make(call: Open): Promise<CallAnswer> {
    const result = await this.#call(call, "return");
    if (!isWaiting(result)) return callAnswer(result, this.#setup.artifacts);
    call.held.waits(result.waiting);
    this.#open.set(call.id, call);
    return { status: "waiting" };
  }

  async #call({ name, args, nth }: Open, onWaiting: "hold" | "return"): Promise<ToolResult> {
    const labels = this.#earlierLabels;
    const { source = "script" } = this.#setup;
    const { signal } = this.#stopped;
    const options = { onWaiting, nth, source, signal, ...defined({ labels }) } as const;
    const result = await this.#context.call(name, args, options);
    this.labels = joinLabels(this.labels, result.labels);
    return result;
  }

  /** Answers to what the script waits for: those that have come, or, where its own call is held, at least one. */
  async #answers(): Promise<{ id: number; answer: CallAnswer }[]> {
    const open = [...this.#open.values()].filter(
      ({ heldBack }) => heldBack !== true || this.#unclaimed.size === 0,
    );
    if (this.#context.held) await this.#hold(open);
    else {
      // One that this life has made, and that waits, is made again in the next.
      const toMake = open.filter(({ held }) => held.state.at === "out");
      await Promise.all(toMake.map(async (each) => this.#takeResult(each, await this.#call(each, "return"))));
    }
    const answered = open.flatMap(({ id, held: { result } }) =>
      result === undefined ? [] : [{ id, result }],
    );
    const { artifacts } = this.#setup;
    return Promise.all(
      answered.map(async ({ id, result }) => ({
        id,
        answer: this.#told(id, await callAnswer(result, artifacts)),
      })),
    );
  }

  /** Each is called once and held; what comes while the script runs is there when it waits again. */
  async #hold(open: readonly Open[]): Promise<void> {
    for (const each of open)
      each.pending ??= this.#call(each, "hold").then((result) => {
        this.#takeResult(each, result);
        return result;
      });
    await Promise.race(open.map(({ pending }) => pending));
  }

  #takeResult(call: Open, result: ToolResult): void {
    if (call.heldBack === true) this.calls += 1;
    delete call.heldBack;
    call.held.answered(result);
  }

  /** Nothing but calls that it did not make before is left, and some that it made have not come again. */
  #divergence(): string | undefined {
    const open = [...this.#open.values()];
    if (this.#unclaimed.size === 0 || !open.every(({ heldBack }) => heldBack === true)) return undefined;
    const names = [...new Set(open.map(({ name }) => name))].join(", ");
    return this.#elsewhere(`it would call ${names} now, which was not done`);
  }

  #elsewhere(instead = "it ended without them"): string {
    return `The script was interrupted after it had begun calls with side effects, and run again it does not come to ${this.#unclaimed.size} of them: ${instead}. What it changed the first time stands; verify that before you try again.`;
  }

  /** Calls of a script that was stopped may end, for a while; those that wait are given up. */
  async #close(status: string): Promise<void> {
    const patience = setTimeout(() => this.#stopped.abort(), PATIENCE_MS);
    await Promise.allSettled(this.#out);
    clearTimeout(patience);
    // A call that was cancelled may have begun to wait without a word of it: what waits is known by this call's own id.
    if (status !== "returned") await this.#setup.giveUp(this.#context.executionId).catch(() => {});
    await this.#setup.book.end(status);
  }
}

/** Less than what a script has beyond its `wall` to say why it ended. */
const PATIENCE_MS = 2_000;

function refused(tool: string, message: string): CallAnswer {
  const error = { name: "ToolError", tool, message, code: "TOOL_NOT_ALLOWED", kind: "denied" };
  return { status: "failed", error };
}

function broken(message: string): ScriptEnd {
  return { status: "broken", message, used: UNUSED };
}

function keyOf(name: string, args: unknown): string {
  return hashText(`${name}:${canonicalJson(args)}`);
}
