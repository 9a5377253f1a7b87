import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import {
  EvalFlags,
  Intrinsics,
  JSException,
  type JSValueHandle,
  QuickJS,
  type QuickJSOptions,
} from "quickjs-wasi";
import type { Limits } from "../limits.ts";
import {
  type AnswerText,
  type Frozen,
  type RestoreRequest,
  type StartRequest,
  type Turn,
  UNUSED,
} from "../messages.ts";
import { PRELUDE_FILE, thrown } from "./code-error.ts";
import { Collected, MAX_TIMERS } from "./collected.ts";
import { faultOf } from "./fault.ts";
import { type PreludeSetup, prelude } from "./prelude.ts";
import { Watch } from "./watch.ts";

/** Of the 1 MiB that the engine has: the rest is for what it does when this is full. */
const STACK_BYTES = 256 * 1024;

/** All but `performance`: it remembers when it was made, and the clock is not told then. */
const INTRINSICS = Intrinsics.ALL & ~Intrinsics.PERFORMANCE;

/** On the first line, so that lines are those of the code. */
const BEFORE = "(async()=>{";

interface Named {
  readonly filename: string;
  readonly tools: readonly string[];
}

/** One run: a fresh engine with a memory of its own, entered for one turn after the other. */
export class Guest {
  #vm: QuickJS;
  #entry: JSValueHandle;
  #filename: string;
  #tools: readonly string[];
  #watch: Watch;
  #collected: Collected;

  private constructor(
    vm: QuickJS,
    entry: JSValueHandle,
    { filename, tools }: Named,
    watch: Watch,
    collected: Collected,
  ) {
    this.#vm = vm;
    this.#entry = entry;
    this.#filename = filename;
    this.#tools = tools;
    this.#watch = watch;
    this.#collected = collected;
  }

  static async make(module: WebAssembly.Module, request: StartRequest): Promise<Guest> {
    const { limits, tools } = request;
    const watch = new Watch(limits, { ...UNUSED });
    const collected = new Collected(limits, watch, { tools, pending: [] });
    const clock = { seeding: true };
    const vm = await QuickJS.create({ ...optionsOf(module, limits, watch, clock), intrinsics: INTRINSICS });
    clock.seeding = false;
    const make = vm.evalCode(`(${prelude.toString()})`, PRELUDE_FILE, EvalFlags.STRICT);
    const host = collected.callbacks(vm).map(([name, callback]) => vm.newFunction(name, callback));
    const entry = vm.callFunction(make, vm.undefined, ...host, vm.newString(setupOf(request)));
    return new Guest(vm, entry, request, watch, collected);
  }

  static async restore(module: WebAssembly.Module, request: RestoreRequest): Promise<Guest> {
    const { limits, frozen } = request;
    const { stackPointer, runtimePtr, contextPtr, entry, ...state } = frozen.state;
    const watch = new Watch(limits, { ...state.used });
    const collected = new Collected(limits, watch, state);
    const memory = zstdDecompressSync(frozen.memory, { maxOutputLength: state.bytes });
    const vm = await QuickJS.restore(
      { memory, stackPointer, runtimePtr, contextPtr, extensions: [] },
      optionsOf(module, limits, watch, { seeding: false }),
    );
    for (const [name, callback] of collected.callbacks(vm)) vm.registerHostCallback(name, callback);
    return new Guest(vm, vm.importHandle(entry), frozen.state, watch, collected);
  }

  run(code: string): Turn {
    return this.#turn(() => this.#start(code));
  }

  /** Of an empty list, what is pending. The code does not run. */
  answer(answers: readonly AnswerText[]): Turn {
    if (answers.length === 0) return this.#collected.turn();
    this.#collected.answered(answers);
    return this.#turn(() => this.#enter("answer", this.#vm.newString(JSON.stringify(answers))));
  }

  /** Only between turns, when nothing but calls that wait for the world is left. */
  freeze(): Frozen {
    this.#vm.runGC();
    const entry = this.#vm.exportHandle(this.#entry);
    const { memory, stackPointer, runtimePtr, contextPtr } = this.#vm.snapshot();
    const { pending, ended } = this.#collected;
    return {
      type: "frozen",
      memory: zstdCompressSync(memory),
      state: {
        ...{ bytes: memory.byteLength, stackPointer, runtimePtr, contextPtr, entry },
        ...{ filename: this.#filename, tools: this.#tools, pending, used: { ...this.#watch.used } },
        ...(ended !== undefined && { ended }),
      },
    };
  }

  #start(code: string): void {
    let main: JSValueHandle;
    try {
      main = this.#vm.evalCode(`${BEFORE}${code}\n})`, this.#filename, EvalFlags.STRICT);
    } catch (error) {
      if (!(error instanceof JSException)) throw error;
      this.#enter("fail", error.handle);
      return;
    }
    this.#enter("start", main);
  }

  #enter(as: string, given: JSValueHandle): void {
    this.#vm.callFunction(this.#entry, this.#vm.undefined, this.#vm.newString(as), given);
  }

  /** Runs until nothing is left to do. Whatever goes wrong is how the run ended. */
  #turn(work: () => void): Turn {
    this.#watch.enter();
    try {
      work();
      this.#vm.executePendingJobs();
    } catch (error) {
      this.#watch.stop(faultOf(error));
    }
    this.#watch.leave();
    const turn = this.#collected.turn();
    if (turn.ended?.as === "threw") turn.ended = thrown(turn.ended.text, this.#filename, BEFORE.length);
    return turn;
  }
}

function optionsOf(
  wasm: WebAssembly.Module,
  limits: Limits,
  watch: Watch,
  clock: { readonly seeding: boolean },
): QuickJSOptions {
  return {
    wasm,
    memoryLimit: limits.memory,
    maxStackSize: STACK_BYTES,
    interruptHandler: watch.look,
    timezoneOffset: 0,
    wasi: (memory) => {
      watch.memory = memory;
      return {
        /** `Math.random` is seeded from the clock while the engine is made: it is told a random time then. */
        clock_time_get(_clock: number, _precision: bigint, at: number): number {
          const [random = 0n] = clock.seeding ? crypto.getRandomValues(new BigUint64Array(1)) : [];
          const nanoseconds = clock.seeding ? random >> 2n : BigInt(Date.now()) * 1_000_000n;
          new DataView(memory.buffer).setBigUint64(at, nanoseconds, true);
          return 0;
        },
        /** Nothing is written anywhere. */
        fd_write: () => 8,
      };
    },
  };
}

/** Joined as text: globals are never made on this side. */
function setupOf({ tools, limits, globals }: StartRequest): string {
  const { parallel, args, result, logText } = limits;
  const setup: Omit<PreludeSetup, "globals"> = { tools, parallel, args, result, logText, timers: MAX_TIMERS };
  return `${JSON.stringify(setup).slice(0, -1)},"globals":${globals}}`;
}
