import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import {
  type ClientCapabilities,
  type InputResponse,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import type { CallOptions, ToolResult, Waits } from "@toolrig/core";
import { canonicalJson, isWaiting, messageOf, newId } from "@toolrig/core/kit";
import { type Asked, askedBy, canAnswer } from "../asking.ts";
import type { Wanted } from "../call.ts";
import { type Caller, callOptionsOf } from "../caller.ts";
import type { Seal } from "../seal.ts";
import type { ServedParts } from "../served-rig.ts";
import { type Known, makeRoom, newKnown, type TaskState } from "./known.ts";
import { makeTask, openTask, type Task } from "./task.ts";

/** Whoever asks how it stands waits so long for a call that may be over at once. */
const GRACE_MS = 200;
/** What ends in another process is looked for so often, by those who wait for a result. */
const LOOK_MS = 1_000;

/**
 * Calls that clients come back for. What they wait for and what they came to is in the rig's stores; this keeps what is under
 * way here, at most `most` of each owner.
 */
export class Tasks {
  readonly #parts: ServedParts & { readonly waits: Waits };
  readonly #seal: Seal;
  readonly #most: number;
  readonly #known = new Map<string, Known>();
  readonly #stops: readonly (() => void)[];
  /** What clients are being asked, by its key. */
  readonly #asking = new Set<string>();
  /** How long a client may take to answer. */
  readonly answerWithinMs: number;

  constructor(
    parts: ServedParts & { readonly waits: Waits },
    seal: Seal,
    { maxTasks, answerWithinMs }: { maxTasks: number; answerWithinMs: number },
  ) {
    this.#parts = parts;
    this.#seal = seal;
    this.#most = maxTasks;
    this.answerWithinMs = answerWithinMs;
    const touch = ({ executionId }: { executionId: string }) => this.#touch(executionId);
    const { events } = parts;
    this.#stops = [
      events.watch("call.waiting", touch),
      events.watch("call.resumed", touch),
      events.watch("call.end", ({ executionId, result }) => {
        if (!isWaiting(result)) this.#ended(executionId);
      }),
    ];
  }

  /** Makes a call as a task. It is not the request's: it goes on when that is answered. Throws when there are too many. */
  begin(wanted: Wanted, caller: Caller, ttlMs: number | undefined, tell: Known["tell"]): Task {
    if (!makeRoom(this.#known, caller.owner, this.#most))
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, `${this.#most} tasks at once are the most.`);
    const task = makeTask(this.#seal, caller, wanted, newId("mcp"), ttlMs);
    this.#go(this.#remember(task, caller, tell), false);
    return task;
  }

  /** A call that waits, as a task. Undefined when there are too many. */
  adopt({ executionId, waiting }: ToolResult, wanted: Wanted, caller: Caller): Task | undefined {
    if (!makeRoom(this.#known, caller.owner, this.#most)) return undefined;
    const task = makeTask(this.#seal, caller, wanted, executionId);
    const known = this.#remember(task, caller, undefined);
    known.waitsWith = waiting === undefined ? undefined : { id: waiting.id, note: waiting.note };
    return task;
  }

  /** Throws for what is no task of this caller. */
  open(id: string, caller: Caller): Task {
    return openTask(this.#seal, id, caller, (executionId) => {
      const known = this.#known.get(executionId);
      if (known !== undefined) return known.task.args;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The task was lost with its process.");
    });
  }

  /** Those that were begun over a connection and are remembered, oldest first. One whose time is over is none, as for `open`. */
  list({ owner, runId }: Caller): Task[] {
    return [...this.#known.values()]
      .filter((known) => known.task.owner === owner && known.options.runId === runId)
      .filter(({ task }) => this.#seal.open(task.id) !== undefined)
      .map(({ task }) => task);
  }

  updatedAt({ executionId, createdAt }: Task): number {
    return this.#known.get(executionId)?.updatedAt ?? createdAt;
  }

  /** How it stands, and what of what it asks this client can answer. A call that can go on, goes on. */
  async look(task: Task, caller: Caller, capabilities: ClientCapabilities | undefined): Promise<TaskState> {
    const known = this.#recall(task, caller);
    const waiting = known.end ?? (await this.#waiting(task, caller, capabilities));
    if (waiting !== undefined) return waiting;
    if (known.running === undefined) await Promise.race([this.#go(known), pause(GRACE_MS)]);
    return this.#seen(known, caller, capabilities);
  }

  /** How it stands, and nothing is done about it. */
  seen(task: Task, caller: Caller, capabilities: ClientCapabilities | undefined): Promise<TaskState> {
    return this.#seen(this.#recall(task, caller), caller, capabilities);
  }

  async #seen(
    known: Known,
    caller: Caller,
    capabilities: ClientCapabilities | undefined,
  ): Promise<TaskState> {
    const waiting = known.end ?? (await this.#waiting(known.task, caller, capabilities));
    return known.end ?? waiting ?? { status: "working", note: known.waitsWith?.note };
  }

  /** Resolves when it may stand otherwise than before, or after a second. */
  async change({ executionId }: Task, signal: AbortSignal): Promise<void> {
    const changed = this.#known.get(executionId)?.changed;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        changed?.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, LOOK_MS);
      changed?.add(done);
      signal.addEventListener("abort", done, { once: true });
      if (signal.aborted) done();
    });
  }

  /** For whoever asks a client something: how to say that it is done. Undefined when somebody asks it already. */
  take(key: string): (() => void) | undefined {
    if (this.#asking.has(key)) return undefined;
    this.#asking.add(key);
    return () => this.#asking.delete(key);
  }

  /** Takes a client's answer. Resolves with whether it counts, not when what follows is over. */
  async answer(task: Task, caller: Caller, asked: Asked, response: InputResponse): Promise<boolean> {
    let stop = () => {};
    const ended = new Promise<true>((resolve) => {
      stop = this.#parts.waits.onEnd(({ id }) => {
        if (id === asked.id) resolve(true);
      });
    });
    const answered = asked.answer(response).then(
      () => true,
      () => false,
    );
    const counts = await Promise.race([answered, ended]);
    stop();
    void this.look(task, caller, undefined).catch(() => {});
    return counts;
  }

  /** False when it was over before. */
  async cancel(task: Task, caller: Caller): Promise<boolean> {
    await this.look(task, caller, undefined);
    const known = this.#recall(task, caller);
    if (known.end !== undefined) return false;
    known.end = { status: "cancelled" };
    known.abort.abort();
    const { waits } = this.#parts;
    const within = known.waitsWith && (await waits.store.get(known.waitsWith.id));
    const reason = "its client cancelled the task";
    for (const executionId of new Set([task.executionId, within?.executionId ?? task.executionId]))
      void waits.cancel(executionId, { reason }).catch(() => {});
    this.#tell(known);
    return true;
  }

  /** Calls that run here are cancelled; those that wait are left as they are. */
  close(): void {
    for (const stop of this.#stops) stop();
    for (const { abort } of this.#known.values()) abort.abort();
    this.#known.clear();
  }

  /** What it waits for, of itself; undefined when that is nothing, or not told by the stores. */
  async #waiting(
    { executionId }: Task,
    caller: Caller,
    capabilities: ClientCapabilities | undefined,
  ): Promise<TaskState | undefined> {
    const all = await askedBy(this.#parts, executionId, caller, capabilities);
    const asked = all.filter(({ needs }) => canAnswer(capabilities, needs)).map(withOwnKey);
    if (asked.length > 0) return { status: "input_required", asked };
    const [open] = await this.#parts.waits.list({ executionId, open: true, limit: 1 });
    return open === undefined ? undefined : { status: "working", note: open.note };
  }

  /** Makes the call, or comes back for it. */
  #go(known: Known, isAgain = true): Promise<void> {
    const { executionId, name, args } = known.task;
    const { signal } = known.abort;
    const options: CallOptions = { ...known.options, executionId, onWaiting: "continue", signal };
    const call = { id: executionId, name, arguments: args };
    known.running = this.#parts.executor
      .call(call, options)
      .then(
        (result) => {
          const { waiting, failure } = result;
          // Another process is at it: it is asked for again.
          if (isAgain && failure?.code === "TOOL_UNAVAILABLE" && result.replayed !== true) return;
          if (waiting !== undefined) known.waitsWith = { id: waiting.id, note: waiting.note };
          else if (failure?.code === "TOOL_CANCELLED") known.end ??= { status: "cancelled" };
          else known.end ??= { status: "over", result };
        },
        (error) => {
          known.end ??= { status: "broken", message: messageOf(error) };
        },
      )
      .then(() => {
        known.running = undefined;
        if (known.end !== undefined) this.#tell(known);
      });
    return known.running;
  }

  /** Of one that was forgotten, or begun by another process, what can be known again. Where there is no room it is known for now. */
  #recall(task: Task, caller: Caller): Known {
    return this.#known.get(task.executionId) ?? this.#remember(task, caller, undefined);
  }

  #remember(task: Task, caller: Caller, tell: Known["tell"]): Known {
    const known = newKnown(task, callOptionsOf(caller), tell);
    if (makeRoom(this.#known, task.owner, this.#most)) this.#known.set(task.executionId, known);
    return known;
  }

  /** Something was told of its call. What this process finds out itself is told when it has. */
  #touch(executionId: string): void {
    const known = this.#known.get(executionId);
    if (known !== undefined && known.end === undefined) this.#tell(known);
  }

  /** Its call is over, by somebody else than this: what it came to is on record. */
  #ended(executionId: string): void {
    const known = this.#known.get(executionId);
    if (known !== undefined && known.end === undefined && known.running === undefined) void this.#go(known);
  }

  #tell(known: Known): void {
    known.updatedAt = Date.now();
    for (const done of [...known.changed]) done();
    known.tell?.(known.task);
  }
}

/** A key is of one question as it was shown, and of no other. */
function withOwnKey(asked: Asked): Asked {
  const hash = createHash("sha256").update(canonicalJson([asked.id, asked.request]));
  return { ...asked, key: hash.digest("base64url").slice(0, 22) };
}
