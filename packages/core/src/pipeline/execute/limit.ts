import type { ToolResult } from "../../call/result.ts";
import { sleep } from "../../clock.ts";
import type { MaybePromise } from "../../maybe-promise.ts";
import { formatDuration } from "../../options/duration.ts";
import { messageOf } from "../../plain.ts";
import { hasSideEffects } from "../../tool/safety.ts";
import type { AnyTool } from "../../tool/tool.ts";
import type { Resolved } from "../execution.ts";
import type { Services } from "../services.ts";
import type { Layer } from "./layer.ts";
import type { LockSet } from "./lock-table.ts";
import { Semaphore } from "./semaphore.ts";
import { TokenBucket } from "./token-bucket.ts";

/** Taken before the tool runs: how to give it back, or the result of a call that could not have it. */
type Grant = { release: () => void } | { refused: ToolResult };
type Limiter = (execution: Resolved) => MaybePromise<Grant>;

/**
 * Waits for a slot of the executor, a slot of the tool, its locks and its rate, in this order: a call that waits for a
 * slot holds nothing that a call from inside a running one could need. Time spent here is not charged to the deadline.
 */
export const limit: Layer = {
  applies: (tool, services) =>
    tool.concurrency !== undefined ||
    tool.rate !== undefined ||
    tool.locks !== undefined ||
    services.slots !== undefined,

  wrap(tool, services, next) {
    const limiters = limitersFor(tool, services);
    return async (execution) => {
      const releases: (() => void)[] = [];
      services.counters.queued += 1;
      let waiting = true;
      const arrived = () => {
        if (waiting) services.counters.queued -= 1;
        waiting = false;
      };
      limited.set(execution.id, execution);
      try {
        for (const limiter of limiters) {
          const grant = await limiter(execution);
          if ("refused" in grant) return grant.refused;
          releases.push(grant.release);
        }
        arrived();
        return await next(execution);
      } finally {
        arrived();
        for (const release of releases) release();
        if (limited.get(execution.id) === execution) limited.delete(execution.id);
      }
    };
  },
};

function limitersFor(tool: AnyTool, services: Services): Limiter[] {
  const limiters: Limiter[] = [];
  if (services.slots !== undefined)
    limiters.push(slots(services.slots, (ancestor) => ancestor !== undefined));
  if (tool.concurrency !== undefined) {
    limiters.push(slots(new Semaphore(tool.concurrency), (ancestor) => ancestor.tool === tool));
  }
  if (tool.locks !== undefined) limiters.push(locking(tool.locks));
  if (tool.rate !== undefined) limiters.push(paced(tool.rate, services));
  return limiters;
}

const NOTHING: Grant = { release: () => {} };

/** A call made from inside a call that holds a slot shares it: waiting for one's own parent would never end. */
function slots(semaphore: Semaphore, holdsOne: (ancestor: Resolved) => boolean): Limiter {
  return async (execution) => {
    if (ancestorsOf(execution).some(holdsOne)) return NOTHING;
    const release = () => semaphore.release(execution);
    if (semaphore.tryAcquire(execution)) return { release };
    if (await semaphore.acquire(execution, execution.interrupted)) return { release };
    return execution.cancelled ? cancelled(execution) : deadlocked(execution);
  };
}

function paced({ limit: most, perMs, waitMs }: NonNullable<AnyTool["rate"]>, { clock }: Services): Limiter {
  const bucket = new TokenBucket(clock, most, perMs);
  return async (execution) => {
    // Started again after it waited: its first start took a place.
    if (execution.attempts > 0) return NOTHING;
    const delay = bucket.waitMs;
    if (delay > waitMs) return tooFast(execution, delay, most, perMs);
    bucket.take();
    if (delay === 0 || (await sleep(clock, delay, execution.interrupted))) return NOTHING;
    bucket.give();
    return cancelled(execution);
  };
}

function locking(locksOf: NonNullable<AnyTool["locks"]>): Limiter {
  return async (execution) => {
    const { tool, args, services } = execution;
    let wanted: LockSet;
    try {
      wanted = lockSet(locksOf(args), hasSideEffects(tool.safety) ? "write" : "read");
    } catch (error) {
      const message = `locks of ${tool.name} failed: ${messageOf(error)}`;
      return { refused: execution.failed({ kind: "fatal", message }) };
    }
    const release = await services.locks.acquire(
      wanted,
      execution,
      ancestorsOf(execution),
      () => execution.interrupted,
    );
    return release === undefined ? cancelled(execution) : { release };
  };
}

function lockSet(locks: ReturnType<NonNullable<AnyTool["locks"]>>, byDefault: "read" | "write"): LockSet {
  const set = new Map<string, "read" | "write">();
  for (const lock of locks) {
    const { key, mode } = typeof lock === "string" ? { key: lock, mode: byDefault } : lock;
    if (typeof key !== "string" || (mode !== "read" && mode !== "write")) {
      throw new TypeError('a lock is a key, or { key, mode } with mode "read" or "write"');
    }
    set.set(key, set.get(key) === "write" ? "write" : mode);
  }
  return set;
}

/** Calls of this process that hold or wait for something here: those of a run that one of them has started know it by its id. */
const limited = new Map<string, Resolved>();

/** The calls that cannot end before this one has. */
function ancestorsOf(execution: Resolved): Resolved[] {
  const ancestors: Resolved[] = [];
  for (let each = callerOf(execution); each !== undefined; each = callerOf(each)) {
    if (ancestors.includes(each)) break;
    ancestors.push(each);
  }
  return ancestors;
}

function callerOf({ parent, options: { parentId } }: Resolved): Resolved | undefined {
  return parent ?? (parentId === undefined ? undefined : limited.get(parentId));
}

function cancelled(execution: Resolved): Grant {
  const message = "The call was cancelled while it waited for its turn; it did not run.";
  return { refused: execution.failed({ code: "TOOL_CANCELLED", message }) };
}

/** Waiting would last until a deadline ends it, with nothing done by then. */
function deadlocked(execution: Resolved): Grant {
  const { tool } = execution;
  const message = `${tool.name} did not run: all its slots are held by calls that wait for the call that made this one.`;
  return { refused: execution.failed({ code: "TOOL_RATE_LIMITED", message, retryable: false }) };
}

function tooFast(execution: Resolved, delayMs: number, most: number, perMs: number): Grant {
  const message =
    `${execution.tool.name} is limited to ${most} calls per ${formatDuration(perMs)}. ` +
    `The next one can start in ${formatDuration(delayMs)}.`;
  return {
    refused: execution.failed({ code: "TOOL_RATE_LIMITED", message, details: { retryAfterMs: delayMs } }),
  };
}
