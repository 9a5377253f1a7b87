import { type ChildProcess, fork } from "node:child_process";
import type { ToolFailure } from "@toolrig/core";
import { programBeside } from "@toolrig/core/kit";
import { killAll } from "./helper/kill.ts";
import type { End, FromHelper, SpawnRequest, StopReason, ToHelper } from "./helper/messages.ts";
import type { OutputPart } from "./kept-output.ts";
import { helperLost, noHelper, outputLost, refused } from "./refusals.ts";

export type Output = readonly [stdout: OutputPart, stderr: OutputPart];

/** A command that has been started. */
export interface Started {
  readonly id: string;
  readonly pid: number;
  /** Where it was started, with all links followed. */
  readonly cwd: string;
  /** Resolves when it and all that it started have ended; rejects, with a failure, if the helper was lost. */
  readonly ended: Promise<End>;
  stop(reason: StopReason, graceMs: number): void;
  read(from: readonly [number, number]): Promise<Output>;
  /** Resolves to why the input was not taken, if it was not. */
  input(text: string, end: boolean): Promise<string | undefined>;
  /** Lets go of what was kept of its output. */
  forget(): void;
}

export interface SpawnOptions {
  onOutput?(text: string): void;
  /** Whether this process stays alive for as long as the command runs. */
  hold: boolean;
}

interface Live {
  request: SpawnRequest;
  pid: number | undefined;
  onOutput: ((text: string) => void) | undefined;
  started(pid: number, cwd: string): void;
  ended(end: End): void;
  failed(reason: ToolFailure): void;
}

interface Question {
  resolve(answer: FromHelper & { type: "answer" }): void;
  reject(reason: ToolFailure): void;
}

/** How long a helper may take for what takes it a moment, also on a machine that is busy. */
const SILENCE_MS = 12_000;
const SECOND_MS = 3_000;
const MAX_TIMER_MS = 2_147_483_647;

/** In the sources and in what is built, the same file with another ending. */

/**
 * Starts commands through a helper, so that this process never forks but once: a fork takes the longer the more memory a
 * process has, and nothing else happens meanwhile. A helper that is lost fails its commands, which are ended, and the next
 * command starts a new one.
 */
class Spawner {
  #helper: ChildProcess | undefined;
  readonly #live = new Map<string, Live>();
  readonly #questions = new Map<number, Question>();
  #asked = 0;
  #holds = 0;

  /** Rejects with a failure that says why, if it cannot be started. */
  start(request: SpawnRequest, { onOutput, hold }: SpawnOptions): Promise<Started> {
    const { id } = request;
    return new Promise((resolve, reject) => {
      const end = Promise.withResolvers<End>();
      // Whoever waits for the end hears of it; that nobody does is no error.
      end.promise.catch(() => {});
      const release = this.#hold();
      let heard = this.#expect(0);
      const over = () => {
        heard();
        release();
      };
      const live: Live = {
        request,
        pid: undefined,
        onOutput,
        started: (pid, cwd) => {
          heard();
          if (!hold) release();
          if (request.timeoutMs !== undefined) heard = this.#expect(request.timeoutMs + request.graceMs);
          resolve(this.#handle(id, pid, cwd, end.promise));
        },
        ended: (how) => {
          over();
          end.resolve(how);
        },
        failed: (reason) => {
          over();
          reject(reason);
          end.reject(reason);
        },
      };
      this.#live.set(id, live);
      this.#send({ type: "spawn", request });
    });
  }

  #handle(id: string, pid: number, cwd: string, ended: Promise<End>): Started {
    return {
      id,
      pid,
      cwd,
      ended,
      stop: (reason, graceMs) => {
        if (!this.#live.has(id)) return;
        // Whoever asks for the end hears of it, although nothing else may keep this process alive.
        const release = this.#hold();
        const heard = this.#expect(graceMs);
        const over = () => {
          heard();
          release();
        };
        ended.then(over, over);
        this.#send({ type: "stop", id, reason, graceMs });
      },
      read: async (from) => {
        const { output } = await this.#ask((ask) => ({ type: "read", ask, id, from }));
        if (output === undefined) throw outputLost();
        return output;
      },
      input: async (text, end) => (await this.#ask((ask) => ({ type: "input", ask, id, text, end }))).problem,
      forget: () => {
        if (this.#helper !== undefined) this.#send({ type: "forget", id });
      },
    };
  }

  #ask(message: (ask: number) => ToHelper): Promise<FromHelper & { type: "answer" }> {
    if (this.#helper === undefined) return Promise.reject(outputLost());
    const ask = ++this.#asked;
    const release = this.#hold();
    const heard = this.#expect(0);
    const answer = new Promise<FromHelper & { type: "answer" }>((resolve, reject) => {
      this.#questions.set(ask, { resolve, reject });
      this.#send(message(ask));
    });
    return answer.finally(() => {
      heard();
      release();
    });
  }

  #send(message: ToHelper): void {
    const helper = this.#running();
    // What could not be sent is answered when the helper is found to be gone.
    helper.send(message, undefined, undefined, () => {});
  }

  #running(): ChildProcess {
    if (this.#helper !== undefined) return this.#helper;
    const helper = fork(programBeside(import.meta.url, "helper/main"), {
      serialization: "advanced",
      // Not of the group that a terminal's signals go to: it ends when it is left.
      detached: true,
      execArgv: [],
      env: {},
      cwd: "/",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    this.#helper = helper;
    let ready = false;
    helper.on("message", (message) => {
      ready = true;
      this.#receive(message as FromHelper);
    });
    helper.once("error", (error) => this.#lose(helper, noHelper(error.message)));
    helper.once("exit", (code, signal) => {
      const how = signal ?? `exit code ${code}`;
      this.#lose(helper, ready ? helperLost(how) : noHelper(`it ended at once with ${how}`));
    });
    helper.unref();
    this.#keepAlive();
    return helper;
  }

  #receive(message: FromHelper): void {
    if (message.type === "answer") {
      this.#questions.get(message.ask)?.resolve(message);
      this.#questions.delete(message.ask);
      return;
    }
    const live = this.#live.get(message.id);
    if (live === undefined) return;
    switch (message.type) {
      case "started":
        live.pid = message.pid;
        live.started(message.pid, message.cwd);
        break;
      case "output":
        live.onOutput?.(message.text);
        break;
      case "refused":
        this.#live.delete(message.id);
        live.failed(refused(live.request, message));
        break;
      case "ended":
        this.#live.delete(message.id);
        live.ended(message.end);
        break;
    }
  }

  #lose(helper: ChildProcess, reason: ToolFailure): void {
    if (this.#helper !== helper) return;
    this.#helper = undefined;
    const lost = [...this.#live.values()];
    this.#live.clear();
    for (const live of lost) void abandon(live, reason);
    for (const { reject } of this.#questions.values()) reject(outputLost());
    this.#questions.clear();
  }

  /** A helper that says nothing when it should have is ended: a command may have stopped it. */
  #expect(afterMs: number): () => void {
    const helper = this.#running();
    const wait = (ms: number, then: () => void) => setTimeout(then, Math.min(ms, MAX_TIMER_MS)).unref();
    let timer = wait(afterMs + SILENCE_MS, () => {
      // It may be this process that was held up: what the helper said meanwhile is heard first.
      timer = wait(SECOND_MS, () => helper.kill("SIGKILL"));
    });
    return () => clearTimeout(timer);
  }

  /** Keeps this process alive until it is released. */
  #hold(): () => void {
    this.#holds += 1;
    this.#keepAlive();
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#holds -= 1;
      this.#keepAlive();
    };
  }

  #keepAlive(): void {
    const channel = this.#helper?.channel;
    if (this.#holds > 0) channel?.ref();
    else channel?.unref();
  }
}

/** Ends what a helper that is gone has started. */
async function abandon({ request, pid, failed }: Live, reason: ToolFailure): Promise<void> {
  await killAll(() => ({ root: pid ?? 0, alive: pid !== undefined, mark: request.mark }));
  failed(reason);
}

/** The one of this process: one helper serves all. */
export const spawner = new Spawner();
