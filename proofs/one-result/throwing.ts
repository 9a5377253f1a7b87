import { transient, validation } from "@toolrig/core";
import { type Hostile, never, revoked, runs, thrower, untouchable, withTool } from "./hostile.ts";

const PANIC = "fatal TOOL_PANICKED";
const FAILED = "fatal TOOL_EXECUTION_FAILED";

class Unprintable extends Error {
  override get message(): string {
    throw new Error("no message for you");
  }
}

function endless(): number {
  return endless() + 1;
}

async function endlessLater(): Promise<number> {
  return endlessDeep() + 1;
}

function endlessDeep(): number {
  return endlessDeep() + 1;
}

const selfCaused = new Error("caused by itself");
selfCaused.cause = selfCaused;

/** Tools that throw or reject, with whatever can be thrown. */
export const throwing: readonly Hostile[] = [
  runs("throws a string", PANIC, thrower("just text")),
  runs("throws undefined", PANIC, thrower(undefined)),
  runs("throws null", PANIC, thrower(null)),
  runs("throws a symbol", PANIC, thrower(Symbol("no"))),
  runs("throws an object without prototype", PANIC, thrower(Object.create(null))),
  runs(
    "throws a function",
    PANIC,
    thrower(() => "thrown"),
  ),
  runs("throws a proxy that throws when touched", PANIC, thrower(untouchable())),
  runs("throws a revoked proxy", PANIC, thrower(revoked())),
  runs("throws a frozen error", FAILED, thrower(Object.freeze(new Error("cold")))),
  runs("throws an error whose message throws", FAILED, thrower(new Unprintable())),
  runs("throws an error that is its own cause", FAILED, thrower(selfCaused)),
  runs("throws an AbortError that nobody asked for", FAILED, thrower(new DOMException("stop", "AbortError"))),
  runs(
    "throws a TimeoutError of its own",
    "timeout TOOL_TIMEOUT",
    thrower(new DOMException("slow", "TimeoutError")),
  ),
  runs(
    "throws a failure with hostile details",
    "validation TOOL_EXECUTION_FAILED",
    thrower(validation("bad", { arguments: [null, 5, {}], more: untouchable() })),
  ),
  runs(
    "throws a failure with a kind and code that do not exist",
    FAILED,
    thrower({ [Symbol.for("toolrig.failure")]: true, failure: { kind: "constructor", code: "toString" } }),
  ),
  runs("throws a failure that is only a mark", PANIC, thrower({ [Symbol.for("toolrig.failure")]: true })),
  runs("rejects with a string", PANIC, () => Promise.reject("text")),
  runs("rejects with undefined", PANIC, () => Promise.reject(undefined)),
  runs("rejects with a revoked proxy", PANIC, () => Promise.reject(revoked())),
  runs("rejects with a circular object", PANIC, () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    return Promise.reject(loop);
  }),
  runs("overflows the stack", PANIC, endless),
  runs("overflows the stack in a promise", PANIC, endlessLater),
  runs("throws after its first await", FAILED, async () => {
    await null;
    throw new TypeError("x is not a function");
  }),
  withTool(
    "fails for as long as it is retried",
    "transient TOOL_TRANSIENT",
    {
      safety: { sideEffects: "read", idempotent: true },
      retry: { attempts: 3, backoff: 1 },
      execute: thrower(transient("try later")),
    },
    { check: ({ attempts }) => (attempts === 3 ? undefined : `${attempts} attempts instead of 3`) },
  ),
  withTool(
    "fails once, then works",
    "ok",
    {
      safety: { sideEffects: "read", idempotent: true },
      retry: { attempts: 3, backoff: 1 },
      execute: (_args, { attempt }) => (attempt === 1 ? transient("try later") : "done"),
    },
    { check: ({ attempts }) => (attempts === 2 ? undefined : `${attempts} attempts instead of 2`) },
  ),
  withTool(
    "fails in passing, but must not run twice",
    "transient TOOL_TRANSIENT",
    {
      safety: { sideEffects: "external" },
      execute: thrower(Object.assign(new Error("reset"), { code: "ECONNRESET" })),
    },
    { check: ({ attempts }) => (attempts === 1 ? undefined : "a side effect was repeated") },
  ),
  withTool("throws from prepare", FAILED, { prepare: thrower(new Error("cannot prepare")) }),
  withTool("prepares with a thenable that throws", PANIC, {
    // biome-ignore lint/suspicious/noThenProperty: a hostile thenable is the point
    prepare: () => ({ then: thrower("not now") }),
  }),
  withTool("throws from locks", FAILED, { locks: thrower(new Error("which key?")) }),
  withTool("names locks that are none", FAILED, { locks: () => [null as never] }),
  withTool("throws from available", "unavailable TOOL_UNAVAILABLE", { available: thrower(untouchable()) }),
  withTool("is unavailable", "unavailable TOOL_UNAVAILABLE", { available: () => "no API key" }),
  withTool("answers available with nonsense", "unavailable TOOL_UNAVAILABLE", {
    available: () => 7 as never,
  }),
  withTool("throws from approval", "denied TOOL_BLOCKED", { approval: thrower(new Error("who?")) }),
  withTool(
    "never says whether approval is needed, and is cancelled",
    "cancelled TOOL_CANCELLED",
    { approval: never },
    {
      callOptions: () => ({ signal: AbortSignal.timeout(20) }),
    },
  ),
];
