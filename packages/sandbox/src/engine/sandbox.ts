import { ToolrigError } from "@toolrig/core";
import { check, declareOptions, type OptionTable, option } from "@toolrig/core/kit";
import { checkAnswers, globalsText } from "./check-run.ts";
import { type Ending, over } from "./ending.ts";
import { type Limits, limitOptions, limitsFrom, type SandboxLimits } from "./limits.ts";
import { type RestoreRequest, type StartRequest, UNUSED } from "./messages.ts";
import { paced } from "./pace.ts";
import { callWithin, placeHere } from "./place.ts";
import { Pool } from "./pool.ts";
import { processCell } from "./process-cell.ts";
import { type Protection, protectionsHere } from "./protection.ts";
import {
  type CallAnswer,
  hostOptions,
  runOptions,
  type SandboxCall,
  type SandboxHost,
  type SandboxOutcome,
  type SandboxRun,
} from "./run.ts";
import { answerText, type Earlier, type Paused, Session } from "./session.ts";
import { openSnapshot, sealSnapshot } from "./snapshot.ts";
import { threadCell } from "./thread-cell.ts";
import { loadWasm, type Wasm } from "./wasm.ts";

export interface SandboxOptions {
  /** For every run. A run may have narrower ones. */
  limits?: SandboxLimits;
  /**
   * Runs of one principal at once, each in a thread or process. Default: 8; runs mostly wait for their calls. All principals
   * together have twice as many.
   */
  size?: number;
  /** How deep runs may be calls of other runs, through whatever tools. Each level has threads of its own. Default 4. */
  nested?: number;
  /** Runs of one principal that wait for a thread, on each level; more are refused. Default 100. */
  queue?: number;
  /**
   * Where code runs: in a "thread" of this process, or in a "process" of its own, with whatever of Node's permission model,
   * prlimit and bubblewrap works here (see `protections`). Default "thread".
   */
  isolation?: "thread" | "process";
  /** Seals snapshots, so that nobody who can write to where they are kept can make one. Without it only damage is found. */
  snapshotKey?: string;
}

const sandboxOptions = declareOptions("Sandbox", {
  limits: option.group(limitOptions),
  size: option.count(1, { most: 1_000, default: 8 }),
  nested: option.count(0, { default: 4 }),
  queue: option.count(0, { default: 100 }),
  isolation: option.oneOf(["thread", "process"], { default: "thread" }),
  snapshotKey: option.text(),
} satisfies OptionTable<SandboxOptions>);

export interface SandboxResume extends SandboxHost {
  /** Answers to calls that the run waits for. It waits on for the others. */
  answers: readonly { readonly id: number; readonly answer: CallAnswer }[];
}

const resumeOptions = declareOptions("sandbox.resume", {
  ...hostOptions.table,
  answers: option.checked("a list of { id, answer }", checkAnswers, { required: true }),
} satisfies OptionTable<SandboxResume>);

/** A place where code of strangers runs: it computes, calls what it is given, and reaches nothing else. */
export class Sandbox {
  readonly limits: Limits;
  #wasm: Promise<Wasm>;
  #pool: Pool | undefined;
  #options: SandboxOptions;
  #closing = new AbortController();

  constructor(options: SandboxOptions = {}) {
    sandboxOptions.check(options);
    this.#options = { ...options };
    this.limits = limitsFrom(options.limits);
    this.#wasm = loadWasm(this.limits);
    this.#wasm.catch(() => {});
  }

  /** Runs code to its end, or until it waits. Throws for what the caller got wrong, and what `onCall` throws. */
  async run(run: SandboxRun): Promise<SandboxOutcome> {
    this.#checkOpen();
    runOptions.check(run);
    const limits = limitsFrom(run.limits, this.limits);
    const globals = await paced(() => globalsText(run.globals));
    if (run.code.length > limits.code) return { ...over("code", limits), used: UNUSED };
    if (globals.length > limits.args) return { ...over("args", limits), used: UNUSED };
    const { code, filename = "script.js", tools = [] } = run;
    return this.#serve(run, limits, { type: "start", code, filename, globals, tools: [...tools], limits });
  }

  /** Goes on with a paused run, in whichever process it was paused. */
  async resume(snapshot: Uint8Array, run: SandboxResume): Promise<SandboxOutcome> {
    this.#checkOpen();
    resumeOptions.check(run);
    const limits = limitsFrom(run.limits, this.limits);
    const opened = await openSnapshot(
      snapshot,
      await this.#wasm,
      run.boundTo ?? "",
      this.#options.snapshotKey,
    );
    if ("refused" in opened) return { status: "refused", message: opened.refused, used: UNUSED };
    const { frozen } = opened;
    const { pending } = frozen.state;
    const answers = run.answers.map(({ id, answer }) => {
      const call = pending.find((each) => each.id === id);
      if (call === undefined) throw check.invalid("answers", "for calls that the run waits for", `id ${id}`);
      return answerText(call, answer, limits);
    });
    const answered = new Set(answers.filter(({ as }) => as !== "waiting").map(({ id }) => id));
    const left: SandboxCall[] = [];
    for (const { id, name, args } of pending)
      if (!answered.has(id)) left.push({ id, name, args: await paced(() => JSON.parse(args)) });
    const { used } = frozen.state;
    return this.#serve(run, limits, { type: "restore", frozen, limits }, { used, answers, pending: left });
  }

  /** What stands around the code besides the engine. Nothing for a thread. */
  async protections(): Promise<readonly Protection[]> {
    return this.#options.isolation === "process" ? await protectionsHere() : [];
  }

  /** Ends every run: they come to nothing but `cancelled`. */
  close(): void {
    this.#closing.abort();
    this.#pool?.close();
  }

  #checkOpen(): void {
    if (this.#closing.signal.aborted) throw new ToolrigError("OPTION_INVALID", "The sandbox is closed.");
  }

  async #serve(
    host: SandboxHost,
    limits: Limits,
    request: StartRequest | RestoreRequest,
    earlier?: Earlier,
  ): Promise<SandboxOutcome> {
    const { boundTo = "", principal } = host;
    const { nested = 4 } = this.#options;
    const place = placeHere();
    if (place.level > nested) return { ...over("stack", limits, tooDeep(nested)), used: UNUSED };
    const used = earlier?.used ?? UNUSED;
    const wall = new AbortController();
    const timer = setTimeout(() => wall.abort(), limits.wall);
    const signal = AbortSignal.any([
      wall.signal,
      this.#closing.signal,
      ...(host.signal ? [host.signal] : []),
    ]);
    const stopped = (): Ending => (wall.signal.aborted ? over("wall", limits) : { status: "cancelled" });
    try {
      if (signal.aborted) return { ...stopped(), used };
      const wasm = await this.#wasm;
      const pool = this.#poolOf(wasm, await this.protections());
      const cell = await pool.take(place.level, principal, signal);
      if (cell === undefined) return { ...(signal.aborted ? stopped() : over("queue", limits)), used };
      const onCall = (call: SandboxCall) => callWithin(place, () => host.onCall?.(call));
      const session = new Session(cell, { onCall, onLog: host.onLog?.bind(host) }, limits, earlier);
      const stop = () => session.stop(STOPPED);
      signal.addEventListener("abort", stop);
      if (signal.aborted) stop();
      let reusable = false;
      try {
        const ending = await session.drive(request);
        reusable = isClean(ending) && session.used.memory <= KEPT_BYTES;
        if (!("frozen" in ending)) return { ...ending, used: session.used };
        const key = this.#options.snapshotKey;
        const snapshot = await sealSnapshot(ending.frozen, wasm, boundTo, key, limits.snapshot);
        if (snapshot === undefined) return { ...over("snapshot", limits), used: session.used };
        return { status: "paused", snapshot, pending: ending.pending, used: session.used };
      } catch (error) {
        if (error !== STOPPED) throw error;
        return { ...stopped(), used: session.used };
      } finally {
        signal.removeEventListener("abort", stop);
        place.isHeld = false;
        pool.give(cell, place.level, principal, reusable);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #poolOf(wasm: Wasm, protections: readonly Protection[]): Pool {
    const { size = 8, queue = 100, isolation } = this.#options;
    const make = () => (isolation === "process" ? processCell(wasm, protections) : threadCell(wasm));
    this.#pool ??= new Pool({ size, queue, make });
    return this.#pool;
  }
}

/** A thread whose engine grew further is not kept: when its memory goes back is the garbage collector's choice. */
const KEPT_BYTES = 16 * 1024 * 1024;

/** Whether the engine did nothing but what JavaScript does. */
function isClean(ending: Ending | Paused): boolean {
  return "frozen" in ending || ending.status === "returned" || ending.status === "threw";
}

const tooDeep = (nested: number) => `Runs that are calls of other runs are more than ${nested} deep.`;

const STOPPED = Symbol("stopped");
