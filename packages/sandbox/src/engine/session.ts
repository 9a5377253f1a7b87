import { messageOf } from "@toolrig/core/kit";
import { type Cell, CellLost } from "./cell.ts";
import { checkAnswer } from "./check-run.ts";
import { type Ending, endingOf, over } from "./ending.ts";
import type { Limits } from "./limits.ts";
import {
  type AnswerText,
  type CallText,
  type Frozen,
  type Reply,
  type Request,
  type Turn,
  UNUSED,
  type Used,
} from "./messages.ts";
import { paced } from "./pace.ts";
import type { CallAnswer, CallError, SandboxCall, SandboxLog } from "./run.ts";

/**
 * Long built-ins do not look at the clock: the cell is ended after half as long again as the code may run, and this. On a
 * machine that is busy, a thread may be that late with nothing wrong about it.
 */
const GRACE_MS = 1_000;
/** To compress and to unpack a memory, on a machine that is busy. */
const FREEZE_MS = 60_000;

/** Each timer is a way to the cell and back: code that does nothing else must not keep the host busy. */
const MIN_TIMER_MS = 4;

/** What came of a run that waits. */
export interface Paused {
  readonly frozen: Frozen;
  readonly pending: readonly SandboxCall[];
}

/** What is known of a run that goes on. */
export interface Earlier {
  readonly used: Used;
  readonly answers: readonly AnswerText[];
  /** Calls that are left without one. */
  readonly pending: readonly SandboxCall[];
}

/** Who answers and hears the code. */
export interface Host {
  /** Undefined where nobody answers. */
  onCall(call: SandboxCall): CallAnswer | Promise<CallAnswer> | undefined;
  onLog: ((line: SandboxLog) => void) | undefined;
}

/** One run from the host's side: asks the cell for one turn after the other, and answers what the code calls. */
export class Session {
  used: Used;
  #cell: Cell;
  #host: Host;
  #limits: Limits;
  #calls = new Map<number, SandboxCall>();
  #answers: AnswerText[] = [];
  #running = 0;
  #timers = new Map<number, NodeJS.Timeout>();
  #news = Promise.withResolvers<void>();
  #stop = Promise.withResolvers<never>();

  constructor(cell: Cell, host: Host, limits: Limits, earlier: Earlier = NOTHING_EARLIER) {
    this.#cell = cell;
    this.#host = host;
    this.#limits = limits;
    this.used = { ...earlier.used };
    this.#answers.push(...earlier.answers);
    for (const call of earlier.pending) this.#calls.set(call.id, call);
    this.#stop.promise.catch(() => {});
  }

  /** Ends the run from outside: `drive` throws this. */
  stop(why: unknown): void {
    this.#stop.reject(why);
  }

  /** Runs until the end or until only calls that wait for the world are left. Throws what it is stopped with. */
  async drive(begin: Request): Promise<Ending | Paused> {
    try {
      let turn = await this.#turn(begin);
      for (;;) {
        this.used = turn.used;
        for (const line of turn.logs) this.#log(line);
        if (turn.ended !== undefined) {
          const { ended } = turn;
          return await paced(() => endingOf(ended, this.#limits));
        }
        await this.#take(turn);
        const answers = await this.#gather();
        if (answers.length === 0) return await this.#pause();
        turn = await this.#turn({ type: "answer", answers });
      }
    } catch (error) {
      if (!(error instanceof CellLost)) throw error;
      if (error.why === "overtime") {
        this.used = { ...this.used, time: this.#limits.time };
        return over("time", this.#limits);
      }
      return { status: "broken", message: error.message };
    } finally {
      for (const timer of this.#timers.values()) clearTimeout(timer);
    }
  }

  /** It may be an async function all the same. */
  #log(line: SandboxLog): void {
    const noted: unknown = this.#host.onLog?.(line);
    if (noted instanceof Promise) noted.catch((error: unknown) => this.stop(error));
  }

  async #turn(request: Request): Promise<Turn> {
    const left = Math.max(0, this.#limits.time - this.used.time);
    const reply = await this.#ask(request, request.type === "restore" ? FREEZE_MS : left * 1.5 + GRACE_MS);
    if (reply.type !== "turn") throw new CellLost("crashed", "The worker answered something else.");
    return reply;
  }

  async #pause(): Promise<Paused> {
    const frozen = await this.#ask({ type: "pause" }, FREEZE_MS);
    if (frozen.type !== "frozen") throw new CellLost("crashed", "The worker answered something else.");
    return { frozen, pending: [...this.#calls.values()] };
  }

  #ask(request: Request, patience: number): Promise<Reply> {
    return Promise.race([this.#cell.ask(request, patience), this.#stop.promise]);
  }

  async #take({ calls, timers, cleared }: Turn): Promise<void> {
    for (const { id, ms } of timers) {
      const fire = () => this.#answer({ id, as: "done", text: "" });
      this.#timers.set(id, setTimeout(fire, Math.min(Math.max(ms, MIN_TIMER_MS), this.#limits.wall)));
    }
    for (const id of cleared) {
      clearTimeout(this.#timers.get(id));
      this.#timers.delete(id);
    }
    for (const call of calls) await this.#start(call);
  }

  async #start({ id, name, args }: CallText): Promise<void> {
    const call: SandboxCall = { id, name, args: await paced(() => JSON.parse(args)) };
    this.#calls.set(id, call);
    this.#running += 1;
    this.#run(call).catch((error: unknown) => this.stop(error));
  }

  async #run(call: SandboxCall): Promise<void> {
    const answer = await this.#host.onCall(call);
    if (answer !== undefined) checkAnswer("the answer of onCall", answer);
    const text = await paced(() => answerText(call, answer ?? NOBODY, this.#limits));
    this.#running -= 1;
    if (text.as !== "waiting") this.#calls.delete(call.id);
    this.#answer(text);
  }

  #answer(answer: AnswerText): void {
    this.#timers.delete(answer.id);
    this.#answers.push(answer);
    this.#news.resolve();
  }

  /** What has come, or waits for it. Empty when nothing will come. */
  async #gather(): Promise<AnswerText[]> {
    if (this.#answers.length === 0) {
      if (this.#running === 0 && this.#timers.size === 0) return [];
      await Promise.race([this.#news.promise, this.#stop.promise]);
    }
    const answers = this.#answers;
    this.#answers = [];
    this.#news = Promise.withResolvers();
    return answers;
  }
}

const NOTHING_EARLIER: Earlier = { used: UNUSED, answers: [], pending: [] };

const NOBODY: CallAnswer = { status: "failed", error: { message: "Nobody answers calls of this code." } };

/** An answer as it crosses. What JSON cannot hold, or what is too long, fails the call. */
export function answerText(
  { id, name }: Pick<SandboxCall, "id" | "name">,
  answer: CallAnswer,
  limits: Limits,
): AnswerText {
  if (answer.status === "waiting") return { id, as: "waiting", text: "" };
  const text = jsonOf(answer.status === "done" ? answer.value : answer.error);
  if (typeof text !== "string")
    return failed(id, "TypeError", `The answer of ${name} is no JSON: ${messageOf(text.error)}`);
  if (text.length <= limits.answer) return { id, as: answer.status, text };
  if (answer.status === "failed") return { id, as: "failed", text: briefError(answer.error, text, limits) };
  const message = `The answer of ${name} has ${text.length} characters of JSON; at most ${limits.answer} can be taken.`;
  return failed(id, "RangeError", message);
}

/** Fields of an error that are longer are left out where the whole is too long. */
const MAX_FIELD = 1_000;

/** The error without its long fields: the code still learns what failed, and why. */
function briefError(error: CallError, text: string, limits: Limits): string {
  const short = Object.entries(error).filter(([, value]) => String(jsonOf(value)).length <= MAX_FIELD);
  const left = `(what else was said has ${text.length} characters of JSON, more than ${limits.answer}, and is left out)`;
  return JSON.stringify({
    ...Object.fromEntries(short),
    message: `${error.message.slice(0, MAX_FIELD)} ${left}`,
  });
}

function failed(id: number, name: string, message: string): AnswerText {
  return { id, as: "failed", text: JSON.stringify({ name, message }) };
}

/** Empty for what JSON leaves out. */
function jsonOf(value: unknown): string | { error: unknown } {
  try {
    return JSON.stringify(value) ?? "";
  } catch (error) {
    return { error };
  }
}
