import type { JSValueHandle, QuickJS } from "quickjs-wasi";
import type { Limits } from "../limits.ts";
import type { AnswerText, CallText, Ended, Turn } from "../messages.ts";
import type { SandboxLog } from "../run.ts";
import type { PreludeHost } from "./prelude.ts";
import type { Watch } from "./watch.ts";

const LEVELS: readonly string[] = ["log", "info", "warn", "error", "debug"] satisfies SandboxLog["level"][];

export const MAX_TIMERS = 1_000;

/** How deep JSON from the code may be: what reads it on the host goes as deep. */
const MAX_DEPTH = 100;

export interface CollectedState {
  tools: readonly string[];
  pending: readonly CallText[];
  ended?: Ended | undefined;
}

/**
 * What the code says in a turn, by way of the prelude. Everything is checked here, as if the code had taken the prelude over:
 * kinds, sizes, depths, counts, names.
 */
export class Collected {
  /** How the code ended; calls that it left behind may still be out. */
  ended: Ended | undefined;
  #limits: Limits;
  #watch: Watch;
  #tools: ReadonlySet<string>;
  /** Calls that are not answered; of those, the ones that wait for the world. */
  #out = new Map<number, CallText>();
  #waiting = new Set<number>();
  #timersSet = new Set<number>();
  #lines = 0;
  #characters = 0;
  #lost = 0;
  #turnCalls: CallText[] = [];
  #turnTimers = new Map<number, number>();
  #turnCleared: number[] = [];
  #turnLogs: SandboxLog[] = [];

  constructor(limits: Limits, watch: Watch, state: CollectedState) {
    this.#limits = limits;
    this.#watch = watch;
    this.#tools = new Set(state.tools);
    this.ended = state.ended;
    for (const call of state.pending) {
      this.#out.set(call.id, call);
      this.#waiting.add(call.id);
    }
  }

  get pending(): CallText[] {
    return [...this.#out.values()];
  }

  /** The prelude's host, in the order in which it takes it. No error of this side gets in: its stack tells of the host. */
  callbacks(vm: QuickJS): [name: string, callback: (...args: JSValueHandle[]) => JSValueHandle][] {
    const host: { [Name in keyof PreludeHost]: (...args: JSValueHandle[]) => void } = {
      call: (id, name, args) => this.#call(number(id), text(name), text(args)),
      timer: (id, ms) => this.#timer(number(id), number(ms)),
      clear: (id) => this.#clear(number(id)),
      log: (level, line) => this.#log(text(level), text(line)),
      end: (as, said) => this.#end(text(as), text(said)),
    };
    return Object.entries(host).map(([name, take]) => [
      `toolrig.${name}`,
      (...args) => {
        try {
          take(...args);
        } catch (error) {
          this.#watch.stop({ as: "broken", message: `The prelude was given something else: ${error}` });
        }
        return vm.undefined;
      },
    ]);
  }

  answered(answers: readonly AnswerText[]): void {
    for (const { id, as } of answers) {
      this.#timersSet.delete(id);
      if (as === "waiting") this.#waiting.add(id);
      else {
        this.#out.delete(id);
        this.#waiting.delete(id);
      }
    }
  }

  /** What came together since the last turn. */
  turn(): Turn {
    if (this.#watch.stopped !== undefined) this.ended = this.#watch.stopped;
    else if (this.ended === undefined && this.#out.size === 0 && this.#timersSet.size === 0)
      this.ended = STUCK;
    const over = this.ended !== undefined && (this.#watch.stopped !== undefined || this.#out.size === 0);
    if (over && this.#lost > 0)
      this.#turnLogs.push({ level: "warn", text: `${this.#lost} more lines were left out of the log.` });
    const turn: Turn = {
      type: "turn",
      calls: this.#turnCalls,
      timers: Array.from(this.#turnTimers, ([id, ms]) => ({ id, ms })),
      cleared: this.#turnCleared,
      logs: this.#turnLogs,
      used: { ...this.#watch.used },
      ...(over && this.ended !== undefined && { ended: this.ended }),
    };
    [this.#turnCalls, this.#turnCleared, this.#turnLogs] = [[], [], []];
    this.#turnTimers = new Map();
    return turn;
  }

  #call(id: number, name: string, args: string): void {
    if (this.#watch.stopped !== undefined) return;
    if (this.#isTaken(id) || !this.#tools.has(name)) throw new Error("no such call");
    if (args.length > this.#limits.args) throw new Error("long arguments");
    if (this.#out.size - this.#waiting.size >= this.#limits.parallel) throw new Error("more calls at once");
    this.#watch.used.calls += 1;
    if (this.#watch.used.calls > this.#limits.calls) this.#watch.stop({ as: "limit", limit: "calls" });
    else if (depthOf(args) > MAX_DEPTH) this.#watch.stop(tooDeep("args"));
    const call = { id, name, args };
    this.#out.set(id, call);
    this.#turnCalls.push(call);
  }

  #timer(id: number, ms: number): void {
    if (this.#isTaken(id)) throw new Error("no such timer");
    if (this.#timersSet.size >= MAX_TIMERS) throw new Error("more timers at once");
    this.#timersSet.add(id);
    this.#turnTimers.set(id, ms);
  }

  /** A timer that is set and cleared in one turn never crosses, so that a turn says no more than there are timers at once. */
  #clear(id: number): void {
    if (!this.#timersSet.delete(id)) return;
    if (!this.#turnTimers.delete(id)) this.#turnCleared.push(id);
  }

  #isTaken(id: number): boolean {
    return this.#out.has(id) || this.#timersSet.has(id);
  }

  #log(level: string, line: string): void {
    if (!LEVELS.includes(level)) throw new Error("no such level");
    const { logLines, logText } = this.#limits;
    const room = logText - this.#characters;
    if (this.#lines >= logLines || room <= 0) {
      this.#lost += 1;
      return;
    }
    const kept = (line.length > room ? `${line.slice(0, room)}…` : line).toWellFormed();
    this.#lines += 1;
    this.#characters += kept.length + 1;
    this.#turnLogs.push({ level: level as SandboxLog["level"], text: kept });
  }

  #end(as: string, said: string): void {
    if (this.ended !== undefined) return;
    if (as === "limit" || said.length > this.#limits.result)
      this.#watch.stop({ as: "limit", limit: "result" });
    else if (as === "threw") this.ended = { as, text: said };
    else if (depthOf(said) > MAX_DEPTH) this.#watch.stop(tooDeep("result"));
    else this.ended = { as: "returned", text: said };
  }
}

const STUCK: Ended = {
  as: "threw",
  text: JSON.stringify({
    name: "Error",
    message: "The code waits for something that never comes: no call and no timer is left.",
    stack: "",
  }),
};

function tooDeep(limit: "args" | "result"): Ended {
  return { as: "limit", limit, message: `JSON is nested deeper than ${MAX_DEPTH}.` };
}

function number(handle: JSValueHandle | undefined): number {
  const value = handle?.isNumber === true ? handle.toNumber() : Number.NaN;
  if (Number.isNaN(value)) throw new Error("not a number");
  return value;
}

/** Only of what is a string already: making one of anything else runs the code. */
function text(handle: JSValueHandle | undefined): string {
  if (handle?.isString !== true) throw new Error("not a string");
  return handle.toString();
}

function depthOf(json: string): number {
  let [depth, deepest, inString] = [0, 0, false];
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === BRACKET || code === BRACE) deepest = Math.max(deepest, ++depth);
    else if (code === BRACKET + 2 || code === BRACE + 2) depth -= 1;
  }
  return deepest;
}

const [QUOTE, BACKSLASH, BRACKET, BRACE] = [0x22, 0x5c, 0x5b, 0x7b];
