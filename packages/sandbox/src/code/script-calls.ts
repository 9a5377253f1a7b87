import type { DataLabels, ToolContext, ToolResult, Waiting } from "@toolrig/core";
import {
  canonicalJson,
  defined,
  HeldCall,
  hashText,
  hasSideEffects,
  isWaiting,
  joinLabels,
} from "@toolrig/core/kit";
import type { CallAnswer, SandboxCall } from "../engine/run.ts";
import { callAnswer } from "./call-answer.ts";
import type { ScriptSetup } from "./script.ts";
import type { FailedCall, KeptScript, PendingCall } from "./script-book.ts";

/** A call that the sandbox waits for, and what it waits for itself. */
interface Open extends PendingCall {
  readonly held: HeldCall;
  /** Of a script that is held: resolves with the result. */
  pending?: Promise<ToolResult>;
}

/** Less than what a script has beyond its `wall` to say why it ended. */
const PATIENCE_MS = 2_000;

/**
 * The calls of one life of a script: those under way, those that wait, and effects that an earlier life began and this one has
 * to come to again.
 */
export class ScriptCalls {
  /** Of all that the script has read. */
  labels: DataLabels | undefined;
  /** How many calls it has made, in all of its lives. */
  made = 0;
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

  constructor(setup: ScriptSetup, context: ToolContext) {
    this.#setup = setup;
    this.#context = context;
  }

  goOnFrom(labels: DataLabels | undefined): void {
    this.labels = this.#earlierLabels = labels;
  }

  remember(kept: KeptScript, begun: readonly string[]): void {
    this.made = kept.calls;
    this.#counts = new Map(kept.counts);
    this.#open = new Map(kept.pending.map((each) => [each.id, { ...each, held: new HeldCall() }]));
    this.#failures = new Map(kept.failures);
    this.#unclaimed = new Set([...kept.unclaimed, ...begun]);
  }

  /** From its beginning: what it did is in the ledger, and it has to come to that again. */
  forget(begun: readonly string[]): void {
    this.made = 0;
    this.#counts.clear();
    this.#open.clear();
    this.#failures.clear();
    this.#unclaimed = new Set(begun);
  }

  toKeep(): Omit<Parameters<ScriptSetup["book"]["keep"]>[1], "log"> {
    // Whoever goes on with it may have seen nothing of its run.
    const labels = joinLabels(this.labels, this.#context.read);
    const pending = [...this.#open.values()].map(({ id, name, args, nth, heldBack }) => ({
      ...{ id, name, args, nth },
      ...(heldBack === true && { heldBack }),
    }));
    return {
      pending,
      calls: this.made,
      counts: [...this.#counts],
      failures: [...this.#failures] as KeptScript["failures"],
      ...defined({ labels }),
      unclaimed: [...this.#unclaimed],
    };
  }

  /** The first thing that the script waits for. */
  get waiting(): Waiting | undefined {
    const open = [...this.#open.values()].sort((one, other) => one.id - other.id);
    return open.find(({ held }) => held.waiting !== undefined)?.held.waiting;
  }

  failureOf(id: unknown): FailedCall | undefined {
    return this.#failures.get(id);
  }

  answered(answers: readonly { id: number }[]): void {
    for (const { id } of answers) this.#open.delete(id);
  }

  /** Calls of a script that was stopped may end, for a while. */
  async end(): Promise<void> {
    const patience = setTimeout(() => this.#stopped.abort(), PATIENCE_MS);
    await Promise.allSettled(this.#out);
    clearTimeout(patience);
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
  take(call: SandboxCall): Promise<CallAnswer> {
    return this.#seen(this.#take(call).then((answer) => this.#told(call.id, answer)));
  }

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
    this.made += 1;
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
  async answers(): Promise<{ id: number; answer: CallAnswer }[]> {
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
    if (call.heldBack === true) this.made += 1;
    delete call.heldBack;
    call.held.answered(result);
  }

  /** Nothing but calls that it did not make before is left, and some that it made have not come again. */
  divergence(): string | undefined {
    const open = [...this.#open.values()];
    if (this.#unclaimed.size === 0 || !open.every(({ heldBack }) => heldBack === true)) return undefined;
    const names = [...new Set(open.map(({ name }) => name))].join(", ");
    return this.#elsewhere(`it would call ${names} now, which was not done`);
  }

  /** Why it went another way, where effects that were begun before have not come again. */
  unclaimed(): string | undefined {
    return this.#unclaimed.size > 0 ? this.#elsewhere() : undefined;
  }

  #elsewhere(instead = "it ended without them"): string {
    return `The script was interrupted after it had begun calls with side effects, and run again it does not come to ${this.#unclaimed.size} of them: ${instead}. What it changed the first time stands; verify that before you try again.`;
  }
}

function refused(tool: string, message: string): CallAnswer {
  const error = { name: "ToolError", tool, message, code: "TOOL_NOT_ALLOWED", kind: "denied" };
  return { status: "failed", error };
}

function keyOf(name: string, args: unknown): string {
  return hashText(`${name}:${canonicalJson(args)}`);
}
