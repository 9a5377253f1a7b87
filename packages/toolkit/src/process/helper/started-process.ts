import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { KeptOutput, type OutputPart } from "../kept-output.ts";
import { killAll, terminate } from "./kill.ts";
import { membersOf, type Seen, seenAs, type Tree } from "./members.ts";
import type { End, FromHelper, SpawnRequest, StopReason } from "./messages.ts";
import { openWorkingDirectory } from "./working-directory.ts";

/** How often the parent is shown output that has come. */
const OUTPUT_MS = 500;
const MAX_SHOWN = 2_000;
/** How often processes are counted where the system does not. */
const COUNT_MS = 50;
/** How long output that somebody else holds open is waited for, once all are ended. */
const CLOSE_MS = 1_000;
/** How much input may wait to be read by the process. */
const MAX_WAITING_INPUT = 1_000_000;

/** One command: started, read, and ended with everything that it has started. */
export class StartedProcess {
  readonly #request: SpawnRequest;
  readonly #send: (message: FromHelper) => void;
  readonly #child: ChildProcess;
  readonly #output: readonly [KeptOutput, KeptOutput];
  readonly #startedAt = performance.now();
  readonly #timers: NodeJS.Timeout[] = [];
  #stopped: StopReason | undefined;
  #shownAt = 0;
  #exited = false;
  #init: Seen | undefined;
  readonly #initKnown: Promise<void>;
  #killing: ReturnType<typeof killAll> | undefined;

  /** Throws, with a code, what could not be started at once. Others are told by `send`. */
  constructor(request: SpawnRequest, send: (message: FromHelper) => void) {
    this.#request = request;
    this.#send = send;
    this.#output = [new KeptOutput(request.keep), new KeptOutput(request.keep)];
    const { id, file, args, env, stdin, mark } = request;
    const cwd = openWorkingDirectory(request.cwd, request.roots);
    try {
      this.#child = spawn(file, args, {
        cwd: cwd.path,
        env,
        detached: true,
        stdio: [
          stdin === "none" ? "ignore" : "pipe",
          "pipe",
          "pipe",
          ...(mark.namespaced ? ["pipe" as const] : []),
        ],
      });
    } finally {
      cwd.close();
    }
    this.#child.once("error", (error: NodeJS.ErrnoException) => this.#refused(error));
    this.#child.once("spawn", () => {
      send({ type: "started", id, pid: this.#root, cwd: cwd.real });
      this.#watch();
    });
    this.#child.once("exit", (code, signal) => void this.#onExit(code, signal));
    // A process may end without reading what it is given.
    this.#child.stdin?.on("error", () => {});
    if (typeof stdin === "object") this.#child.stdin?.end(stdin.text);
    this.#collect();
    this.#initKnown = this.#learnInit();
  }

  /** Bubblewrap tells, through the descriptor behind the usual three, who is the first within. */
  #learnInit(): Promise<void> {
    const info = this.#child.stdio[3] as Readable | undefined;
    if (info === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      let told = "";
      info.on("error", () => {});
      info.on("close", resolve);
      info.on("data", (chunk: Buffer) => {
        told += chunk.toString("latin1");
        const [, pid] = /"child-pid"\s*:\s*(\d+)\b/.exec(told) ?? [];
        if (pid === undefined) return;
        this.#init ??= seenAs(Number(pid));
        resolve();
      });
    });
  }

  get #root(): number {
    return this.#child.pid ?? 0;
  }

  get #tree(): Tree {
    return { root: this.#root, alive: !this.#exited, mark: this.#request.mark, init: this.#init };
  }

  read([out, err]: readonly [number, number]): [OutputPart, OutputPart] {
    return [this.#output[0].read(out), this.#output[1].read(err)];
  }

  /** Why the input was not taken, if it was not. */
  input(text: string, end: boolean): string | undefined {
    const { stdin } = this.#child;
    if (stdin === null || !stdin.writable || this.#exited) return "its input is closed";
    if (stdin.writableLength > MAX_WAITING_INPUT) return "it has not read its earlier input";
    if (text !== "") stdin.write(text);
    if (end) stdin.end();
    return undefined;
  }

  stop(reason: StopReason, graceMs: number): void {
    if (this.#exited) return;
    this.#stopped ??= reason;
    if (this.#killing !== undefined) return;
    if (graceMs > 0) terminate(this.#tree);
    this.#timers.push(setTimeout(() => void this.#kill(), graceMs));
  }

  /** Once at a time: looking for them takes the longer the more there are. */
  #kill(): ReturnType<typeof killAll> {
    this.#killing ??= killAll(() => this.#tree).finally(() => {
      this.#killing = undefined;
    });
    return this.#killing;
  }

  #watch(): void {
    const { timeoutMs, graceMs, maxProcesses } = this.#request;
    if (timeoutMs !== undefined)
      this.#timers.push(setTimeout(() => this.stop("deadline", graceMs), timeoutMs));
    if (maxProcesses === undefined) return;
    this.#timers.push(
      setInterval(() => {
        const count = this.#killing === undefined ? (membersOf(this.#tree)?.length ?? 0) : 0;
        if (count > maxProcesses) this.stop("processes", 0);
      }, COUNT_MS),
    );
  }

  #collect(): void {
    for (const [index, stream] of [this.#child.stdout, this.#child.stderr].entries()) {
      stream?.on("data", (chunk: Buffer) => {
        this.#output[index]?.add(chunk);
        const now = performance.now();
        if (now - this.#shownAt < OUTPUT_MS) return;
        this.#shownAt = now;
        const text = chunk.subarray(-MAX_SHOWN).toString("utf8");
        this.#send({ type: "output", id: this.#request.id, text });
      });
      // One that cannot be read any more has nothing to say.
      stream?.on("error", () => {});
    }
  }

  #refused(error: NodeJS.ErrnoException): void {
    if (this.#child.pid !== undefined) return;
    this.#send({
      type: "refused",
      id: this.#request.id,
      code: error.code ?? "UNKNOWN",
      message: error.message,
    });
  }

  /** What the command has left behind ends with it. Only then is it over. */
  async #onExit(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    this.#exited = true;
    for (const timer of this.#timers) clearTimeout(timer);
    const durationMs = performance.now() - this.#startedAt;
    await this.#initKnown;
    const rest = await this.#kill();
    await this.#closed();
    const end: End = { ...endOf(code, signal), stopped: this.#stopped, durationMs, ...rest };
    this.#send({ type: "ended", id: this.#request.id, end });
  }

  async #closed(): Promise<void> {
    const { stdin, stdout, stderr } = this.#child;
    const ends = [stdout, stderr].map((stream) => {
      if (stream === null || stream.closed) return undefined;
      return new Promise<void>((resolve) => stream.once("close", resolve));
    });
    const limit = setTimeout(() => {
      stdout?.destroy();
      stderr?.destroy();
    }, CLOSE_MS);
    await Promise.all(ends);
    clearTimeout(limit);
    stdin?.destroy();
  }
}

/** Bubblewrap and shells report a signal as 128 and its number; so does this. */
function endOf(code: number | null, signal: NodeJS.Signals | null): Pick<End, "exitCode" | "signal"> {
  if (signal !== null) return { exitCode: 128 + constants.signals[signal], signal };
  return { exitCode: code ?? undefined, signal: undefined };
}
